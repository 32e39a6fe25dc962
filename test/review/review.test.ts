import { beforeEach, describe, expect, it } from 'vitest'
import type { StagedChange } from '../../overlay/change.js'
import { digest } from '../../overlay/digest.js'
import type { Verdict } from '../../src/core/api.js'
import { EscrowError } from '../../src/core/api-error.js'
import type { Contents } from '../../src/review/contents.js'
import type { ReviewLog } from '../../src/review/log.js'
import type { ReviewRecord } from '../../src/review/record-schema.js'
import { createReview, type StageReview } from '../../src/review/review.js'
import type { ReviewEffects, ReviewStage } from '../../src/review/review-stage.js'
import { file, newStagedChange } from './staged.js'

let stage: StagedChange[]
let disk: Map<string, string>
let records: ReviewRecord[]
/** The records that another process appends between a read of the log and an append to it. */
let concurrentRecords: ReviewRecord[]
let ledger: Verdict[]
let commits: Parameters<ReviewEffects['commit']>[]
let landings: [paths: string[], landing: Parameters<ReviewEffects['recordLanded']>[1]][]
let failing: { ledger?: Error; commit?: Error }
let review: StageReview
let keepsApprovals: boolean
const stored = new Map<string, Uint8Array>()
const contents: Contents = {
  keep(content) {
    stored.set(digest(content), content)
    return digest(content)
  },
  read: (key) => stored.get(key) ?? expect.unreachable(`${key} was not kept`),
}

const log: ReviewLog = {
  read: () => [...records],
  append: async (record) => {
    records.push(record)
  },
  appendAfter: async (lastSeen, record, first) => {
    records.push(...concurrentRecords.splice(0))
    if (records.length !== lastSeen.length) return false
    await first()
    records.push(record)
    return true
  },
}

const stagedNow: ReviewStage = {
  changes: async () => [...stage],
  changeAt: async (wanted) => stage.find(({ path }) => path === wanted),
  flags: () => [],
  mutations: async () => new Map(),
  measureRest: () => undefined,
  risks: async () => new Map(),
  before: ({ path }) => (disk.has(path) ? Buffer.from(disk.get(path) ?? '') : null),
  disk: ({ path }) => {
    const content = disk.get(path)
    return content === undefined
      ? { state: null, content: null }
      : { state: file(content), content: Buffer.from(content) }
  },
  contents: () => contents,
  settledSeq: () => 3,
  snapshots: async () => [],
  questionNotes: async () => [],
}

const effects: ReviewEffects = {
  reviewer: () => ({ name: 'Default' }),
  keepsApprovalOnMerge: () => keepsApprovals,
  applyAnswer: async () => undefined,
  criteria: () => [],
  recordVerdict: async (verdict) => {
    if (failing.ledger !== undefined) throw failing.ledger
    ledger.push(verdict)
  },
  commit: async (...call) => {
    commits.push(call)
    if (failing.commit !== undefined) throw failing.commit
    return { id: 'tx', seq: 7, committed: call[0].map(({ path }) => path), conflicts: [] }
  },
  recordLanded: async (changes, landing) => {
    landings.push([changes.map(({ path }) => path as string), landing])
  },
}

const reviewOf = () => createReview({ sessionId: 's1', root: '/w' }, log, stagedNow, effects)

const restage = (...changes: StagedChange[]) => {
  const paths = new Set(changes.map(({ path }) => path))
  stage = [...stage.filter(({ path }) => !paths.has(path)), ...changes]
}
const states = async () => (await reviewOf().changes()).changes.map(({ path, state }) => `${path} ${state}`)
const refusal = (reason: string, path?: string) =>
  expect.objectContaining({ name: 'EscrowError', reason, message: expect.stringContaining(path ?? '') })

beforeEach(() => {
  stage = [newStagedChange('a', 'a0', 'a1'), newStagedChange('b', 'b0', 'b1'), newStagedChange('src/c', null, 'c1')]
  disk = new Map([
    ['a', 'a0'],
    ['b', 'b0'],
  ])
  ;[records, concurrentRecords, ledger, commits, landings, failing, keepsApprovals] = [[], [], [], [], [], {}, false]
  review = reviewOf()
})

describe('approve', () => {
  it('of everything skips a file that another reviewer has rejected, however late', async () => {
    await review.changes()
    await review.reject('b', 'no')
    concurrentRecords = records.splice(0)
    const verdict = await review.approve()
    expect(verdict.paths).toEqual(['a', 'src/c'])
    expect(await states()).toEqual(['a approved', 'b rejected', 'src/c approved'])
    expect(ledger.filter((each) => each.verdict === 'approved')).toEqual([verdict])
  })

  it('approves everything shown, durably, with a record in the ledger', async () => {
    const verdict = await review.approve()
    expect(verdict).toMatchObject({ verdict: 'approved', paths: ['a', 'b', 'src/c'], by: { name: 'Default' } })
    expect(ledger).toEqual([verdict])
    expect(await states()).toEqual(['a approved', 'b approved', 'src/c approved'])
  })

  it("approves the named paths, in the reviewer's name", async () => {
    const by = { name: 'Ann', email: 'ann@example.org' }
    expect(await review.approve(['/w/a', 'src/**'], by)).toMatchObject({ paths: ['a', 'src/c'], by })
    expect(await states()).toEqual(['a approved', 'b pending', 'src/c approved'])
  })

  it('approves what was shown, not what was staged since', async () => {
    await review.changes()
    restage(newStagedChange('new', null, 'unseen'))
    expect((await review.approve()).paths).toEqual(['a', 'b', 'src/c'])
    await expect(review.approve('new')).rejects.toEqual(refusal('nothing_selected', 'new'))
  })

  it('refuses changes that were modified or removed since they were shown, as a whole and by name', async () => {
    await review.changes()
    restage(newStagedChange('a', 'a0', 'a2'))
    for (const selection of [undefined, 'a', ['a', 'b'], '**']) {
      await expect(review.approve(selection)).rejects.toEqual(refusal('stale_file', 'a was changed in the stage'))
    }
    stage = stage.filter(({ path }) => path !== 'a')
    await expect(review.approve('a')).rejects.toEqual(refusal('stale_file', 'a is no longer staged'))
    expect([records, ledger]).toEqual([[], []])
    expect((await review.approve('b')).paths).toEqual(['b'])
  })

  it('skips drifted paths in an approval of everything, and refuses them by name', async () => {
    restage(newStagedChange('a', 'a0', 'a1', { drifted: true }))
    expect((await review.approve()).paths).toEqual(['b', 'src/c'])
    await expect(reviewOf().approve(['a', 'b'])).rejects.toMatchObject({
      reason: 'stale_file',
      refused: [{ path: 'a', reason: 'stale_file', message: expect.stringContaining('a was changed on disk') }],
    })
    expect(ledger).toHaveLength(1)
  })

  it('counts a change as drifted if it drifts after it was shown, or was shown against another base', async () => {
    await review.changes()
    restage(newStagedChange('a', 'a0', 'a1', { drifted: true }))
    await expect(review.approve('a')).rejects.toEqual(refusal('stale_file', 'a'))
    disk.set('b', 'saved while the hunks were made')
    await review.changes()
    expect((await review.approve()).paths).toEqual(['src/c'])
  })

  it('does not override a rejection unless the path is named', async () => {
    await review.reject('a', 'no')
    expect((await review.approve()).paths).toEqual(['b', 'src/c'])
    expect((await review.approve('a')).paths).toEqual(['a'])
    expect(await states()).toEqual(['a approved', 'b approved', 'src/c approved'])
  })

  it('records nothing if there is nothing to approve', async () => {
    stage = []
    expect(await review.approve()).toMatchObject({ id: '', paths: [] })
    expect([records, ledger]).toEqual([[], []])
  })

  it('does not count until the ledger has it', async () => {
    failing.ledger = new EscrowError('ledger_unavailable', 'no ledger')
    await expect(review.approve()).rejects.toBe(failing.ledger)
    expect(await states()).toEqual(['a pending', 'b pending', 'src/c pending'])
  })

  it('lists the paths as changes() does', async () => {
    stage = [...stage, newStagedChange('z', 'z0', null)].reverse()
    disk.set('z', 'z0')
    const { changes } = await review.changes()
    expect((await review.approve()).paths).toEqual(changes.map(({ path }) => path))
  })

  it('is void once the agent writes again', async () => {
    await review.approve()
    restage(newStagedChange('a', 'a0', 'a2'), newStagedChange('b', 'b0 committed', 'b1'))
    expect(await states()).toEqual(['a pending', 'b pending', 'src/c approved'])
  })
})

describe('reject', () => {
  it('records the reason, drifted or not', async () => {
    restage(newStagedChange('a', 'a0', 'a1', { drifted: true }))
    const verdict = await review.reject('a', 'not like this', { name: 'Ann' })
    expect(verdict).toMatchObject({ verdict: 'rejected', paths: ['a'], reason: 'not like this', by: { name: 'Ann' } })
    expect(ledger).toEqual([verdict])
    expect(await states()).toEqual(['a rejected', 'b pending', 'src/c pending'])
  })

  it('refuses a selection that matches nothing, and changes that were modified since they were shown', async () => {
    await expect(review.reject('x', 'no')).rejects.toEqual(refusal('nothing_selected'))
    await review.changes()
    restage(newStagedChange('a', 'a0', 'a2'))
    await expect(review.reject('a', 'no')).rejects.toEqual(refusal('stale_file', 'a'))
    expect(records).toEqual([])
  })
})

describe('recordLanded', () => {
  const at = { branch: 'main', commit: '1'.repeat(40) }

  it('records the named changes that are approved and have not drifted, with their verdicts', async () => {
    await review.approve()
    await review.reject('b', 'no')
    restage(newStagedChange('src/c', null, 'c1', { drifted: true }))
    expect(await review.recordLanded(['a', 'b', 'src/c', 'absent'], at)).toEqual(['a'])
    expect(landings).toEqual([[['a'], { at, approvals: [ledger[0]] }]])
    expect(await states()).toEqual(['a approved', 'b rejected', 'src/c approved'])
  })

  it('records nothing if nothing of it is approved', async () => {
    await review.approve('b')
    expect(await review.recordLanded(['a'], at)).toEqual([])
    expect(landings).toEqual([])
  })

  it('records no change of which only some hunks are approved', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `${index}\n`)
    const edited = lines.with(2, 'x\n').with(25, 'y\n').join('')
    disk.set('a', lines.join(''))
    restage(newStagedChange('a', lines.join(''), edited))
    const [first] = (await review.changes()).changes.find(({ path }) => path === 'a')?.hunks ?? []
    await review.approve({ hunks: [first?.id ?? ''] })
    expect(await review.recordLanded(['a'], at)).toEqual([])
  })
})

describe('commit', () => {
  it('commits what is approved and nothing else', async () => {
    await review.approve(['a', 'b'])
    await review.reject('b', 'no')
    expect(await review.commit({ strict: true })).toEqual({ id: 'tx', seq: 7, committed: ['a'], conflicts: [] })
    const [changes, options] = commits[0] ?? []
    expect(changes?.map(({ path }) => path)).toEqual(['a'])
    expect(options?.strict).toBe(true)
    expect(options?.approvals).toEqual([ledger[0]])
  })

  it('records nothing if nothing is approved', async () => {
    await review.reject('a', 'no')
    expect(await review.commit()).toEqual({ id: '', seq: 0, committed: [], conflicts: [] })
    expect(commits).toEqual([])
    expect(records).toHaveLength(1)
  })

  it('omits what the agent changed after the approval', async () => {
    await review.approve()
    restage(newStagedChange('a', 'a0', 'a2'))
    expect((await review.commit()).committed).toEqual(['b', 'src/c'])
  })

  it('passes on approved but drifted paths, for the commit to refuse', async () => {
    await review.approve()
    restage(newStagedChange('a', 'a0', 'a1', { drifted: true }))
    failing.commit = new EscrowError('stale_file', 'a changed')
    await expect(review.commit()).rejects.toBe(failing.commit)
    expect(commits[0]?.[0].map(({ path }) => path).sort()).toEqual(['a', 'b', 'src/c'])
    expect(await states()).toEqual(['a approved', 'b approved', 'src/c approved'])
  })

  it('consumes its approvals', async () => {
    await review.approve()
    await review.commit()
    expect(await review.commit()).toMatchObject({ id: '', committed: [] })
    expect(commits).toHaveLength(1)
  })

  it('removes committed paths from the changes', async () => {
    await review.changes()
    await review.approve('a')
    await review.commit()
    stage = stage.filter(({ path }) => path !== 'a')
    expect((await review.approve()).paths).toEqual(['b', 'src/c'])
  })
})

describe('discard', () => {
  it('records what leaves the stage, as it was shown', async () => {
    await review.discard('src/**')
    expect(records).toMatchObject([{ kind: 'discard', entries: [{ path: 'src/c', before: null }] }])
    await review.discard()
    expect(records[1]?.entries.map(({ path }) => path)).toEqual(['a', 'b', 'src/c'])
    expect(ledger).toEqual([])
  })

  it('discards nothing that was changed since it was shown, and records nothing if nothing is staged', async () => {
    await review.changes()
    restage(newStagedChange('a', 'a0', 'a2'))
    await expect(review.discard()).rejects.toEqual(refusal('stale_file', 'a'))
    stage = []
    await reviewOf().discard()
    expect(records).toEqual([])
  })
})
