import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sha256hex } from '../../overlay/digest.js'
import { initWorkspace } from '../../src/access/init.js'
import type { BlameLine } from '../../src/core/api.js'
import type { Layout } from '../../src/core/layout.js'
import { openWorkspace } from '../../src/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { openLedger } from '../../src/trace/ledger.js'
import { commitAll, git } from '../support/git.js'
import { trust } from '../support/trust.js'
import { draftOf, drafts, fileOf, linesOf, metadataOf, rechain, sha, workspaces } from './support.js'

/** The results on a machine for records that it did not write. The state directory identifies the machine. */

const ADA = { name: 'Ada' }
const stateHome = process.env.XDG_STATE_HOME
const workspace = workspaces()
let ada: string
let ben: string

beforeEach(() => {
  ada = workspace().root
  ben = workspace().root
  switchMachine(ada)
})
afterEach(() => {
  if (stateHome === undefined) delete process.env.XDG_STATE_HOME
  else process.env.XDG_STATE_HOME = stateHome
})

function switchMachine(machine: string): void {
  process.env.XDG_STATE_HOME = machine
}

function repository(): Layout {
  const layout = workspace()
  git(layout.root, 'init', '-q', '-b', 'main')
  writeFileSync(`${layout.gitignore}`, '*/\n')
  writeFileSync(join(layout.dir, '.gitattributes'), 'agent_trace.jsonl merge=union\n')
  commitAll(layout.root)
  return layoutAt(layout.root)
}

/** Appends one by one, and commits to git. */
async function work(layout: Layout, count: number): Promise<void> {
  for (const draft of drafts(count)) await openLedger(layout).append([draft])
  commitAll(layout.root)
}

function cloneLayout(from: Layout): Layout {
  const { root } = workspace()
  rmSync(root, { recursive: true })
  git(from.root, 'clone', '-q', from.root, root)
  return layoutAt(root)
}

const verify = (layout: Layout) => openLedger(layout).verify()

/** Rewrites record 3 and chains the rest to it, as a forger would. */
function forge(layout: Layout): void {
  const lines = linesOf(layout)
  const forged = lines.with(2, (lines[2] ?? '').replace('INT-001', 'INT-666'))
  writeFileSync(`${layout.ledgerFile}`, fileOf(rechain(forged, 2)))
}

const FORGED = {
  ok: false,
  firstBad: { line: 3, reason: expect.stringMatching(/^Line 3 is record 3, .* another record of that number/) },
}

describe('a rewritten ledger', () => {
  const ways: [string, (layout: Layout) => Layout][] = [
    ['on the same branch', (layout) => layout],
    [
      'on another branch',
      (layout) => {
        git(layout.root, 'switch', '-q', '-c', 'other')
        return layout
      },
    ],
    [
      'with a detached HEAD',
      (layout) => {
        git(layout.root, 'switch', '-q', '--detach')
        return layout
      },
    ],
    [
      'on a branch that got another name',
      (layout) => {
        git(layout.root, 'branch', '-m', 'trunk')
        return layout
      },
    ],
    [
      'in a new worktree',
      (layout) => {
        const { root } = workspace()
        rmSync(root, { recursive: true })
        git(layout.root, 'worktree', 'add', '-q', '-b', 'other', root)
        return layoutAt(root)
      },
    ],
    [
      'in a copy of the directory',
      (layout) => {
        const { root } = workspace()
        cpSync(layout.root, root, { recursive: true })
        return layoutAt(root)
      },
    ],
    ['in a clone', cloneLayout],
  ]

  it.each(ways)('fails %s, also without its copies', async (_, go) => {
    const layout = repository()
    await work(layout, 6)
    const there = go(layout)
    forge(there)
    rmSync(there.ledgerDir, { recursive: true, force: true })
    expect(await verify(there)).toMatchObject(FORGED)
  })

  it.each(ways)('does not become valid %s by what is appended to it', async (_, go) => {
    const layout = repository()
    await work(layout, 6)
    const there = go(layout)
    forge(there)
    rmSync(there.ledgerDir, { recursive: true, force: true })
    await openLedger(there).append([draftOf({ type: 'commit' })])
    expect(await verify(there)).toMatchObject(FORGED)
  })

  it('is accepted on another branch by a join, and on its own branch by an anchor', async () => {
    const layout = repository()
    await work(layout, 6)
    git(layout.root, 'switch', '-q', '-c', 'other')
    forge(layout)
    const ledger = openLedger(layout)
    expect(await ledger.unanchored()).toMatchObject({ count: 4, ranges: [{ from: 3, to: 6 }], differs: 3 })
    expect(await ledger.join(ADA)).toBeUndefined()
    expect(await ledger.verify()).toEqual({ ok: true, records: 6, anchored: 6 })
    git(layout.root, 'restore', '.')
    git(layout.root, 'switch', '-q', 'main')
    expect(await verify(layout)).toEqual({ ok: true, records: 6, anchored: 6 })
    const lines = linesOf(layout)
    writeFileSync(`${layout.ledgerFile}`, fileOf(rechain(lines.with(4, lines[4]?.replace('001', '7') ?? ''), 4)))
    rmSync(layout.ledgerDir, { recursive: true })
    await expect(openLedger(layout).join(ADA)).rejects.toMatchObject({ reason: 'ledger_corrupt' })
    await openLedger(layout).anchor()
    expect(await verify(layout)).toMatchObject({ ok: true, records: 6 })
  })
})

describe('records of another machine', () => {
  it('verify in a fresh clone, and are unanchored there until a person accepts them', async () => {
    const layout = repository()
    await work(layout, 6)
    switchMachine(ben)
    const clone = cloneLayout(layout)
    const ledger = openLedger(clone)
    expect(await ledger.verify()).toEqual({ ok: true, records: 6, unanchored: [{ from: 1, to: 6 }] })
    await ledger.append(drafts(2))
    const found = { ok: true, records: 8, anchored: 8, unanchored: [{ from: 1, to: 6 }] }
    expect(await verify(clone)).toEqual(found)
    expect(await ledger.unanchored()).toMatchObject({ count: 6, sessions: ['task-1'], ranges: [{ from: 1, to: 6 }] })
    expect(await ledger.join(ADA)).toBeUndefined()
    expect(await verify(clone)).toEqual({ ok: true, records: 8, anchored: 8 })
    expect(await ledger.unanchored()).toEqual({ count: 0, ranges: [], approvers: [], sessions: [] })
  })

  it('are summarized with their approvers, of verdicts and of commits, their sessions and their times', async () => {
    const layout = repository()
    const verdict = draftOf({ type: 'verdict', reviewer: ADA, data: { verdict: 'approved' } })
    const commit = draftOf({ type: 'commit', approvedBy: ['Cy', 'Ada'] })
    await openLedger(layout).append([verdict, commit])
    commitAll(layout.root)
    const [first, last] = linesOf(layout).map((line) => JSON.parse(line).timestamp)
    switchMachine(ben)
    expect(await openLedger(cloneLayout(layout)).unanchored()).toEqual({
      ...{ count: 2, ranges: [{ from: 1, to: 2 }], approvers: ['Ada', 'Cy'], sessions: ['task-1'], first, last },
    })
  })

  it('that continue known records verify, are listed as unanchored, and stay apart from later records', async () => {
    const first = repository()
    await work(first, 4)
    switchMachine(ben)
    const second = cloneLayout(first)
    await openLedger(second).join(ADA)
    await work(second, 3)
    switchMachine(ada)
    git(first.root, 'pull', '-q', '--ff-only', second.root, 'main')
    expect(await verify(first)).toEqual({ ok: true, records: 7, anchored: 4, unanchored: [{ from: 5, to: 7 }] })
    await work(first, 2)
    expect(await verify(first)).toEqual({ ok: true, records: 9, anchored: 9, unanchored: [{ from: 5, to: 7 }] })
    git(first.root, 'switch', '-q', '--detach', 'HEAD~1')
    expect(await verify(first)).toMatchObject({ ok: true, records: 7, unanchored: [{ from: 5, to: 7 }] })
    git(first.root, 'switch', '-q', 'main')
    const lines = linesOf(first)
    writeFileSync(`${first.ledgerFile}`, fileOf(rechain(lines.with(5, lines[5]?.replace('001', '7') ?? ''), 5)))
    rmSync(first.ledgerDir, { recursive: true })
    expect((await verify(first)).ok).toBe(false)
  })

  it('that git merged with known ones are listed on each machine until a join accepts them', async () => {
    const first = repository()
    await work(first, 2)
    switchMachine(ben)
    const second = cloneLayout(first)
    await openLedger(second).join(ADA)
    await work(second, 2)
    switchMachine(ada)
    await work(first, 2)
    git(first.root, 'pull', '-q', '--no-rebase', '--no-edit', second.root, 'main')
    expect(await verify(first)).toMatchObject({ ok: false, firstBad: { reason: expect.stringMatching(/forks/) } })
    const unseen = await openLedger(first).unanchored()
    expect(unseen).toMatchObject({ count: 2, ranges: [{ from: 3, to: 4 }] })
    expect(await openLedger(first).join(ADA)).toMatchObject({ seq: 5 })
    expect(await verify(first)).toEqual({ ok: true, records: 7, anchored: 5 })
    commitAll(first.root)
    switchMachine(ben)
    git(second.root, 'pull', '-q', '--ff-only', first.root, 'main')
    expect(await verify(second)).toEqual({ ok: true, records: 7, anchored: 4, unanchored: [{ from: 3, to: 5 }] })
    await openLedger(second).join(ADA)
    expect(await verify(second)).toEqual({ ok: true, records: 7, anchored: 5 })
  })

  it('with numbers that this machine gave to other records fail until a person accepts them', async () => {
    const first = repository()
    await work(first, 4)
    switchMachine(ben)
    const second = cloneLayout(first)
    await work(second, 2)
    switchMachine(ada)
    git(first.root, 'switch', '-q', '-c', 'feature')
    await work(first, 2)
    git(first.root, 'switch', '-q', 'main')
    git(first.root, 'pull', '-q', '--ff-only', second.root, 'main')
    expect(await verify(first)).toMatchObject({ ok: false, firstBad: { line: 5 } })
    await openLedger(first).append(drafts(1))
    await openLedger(first).join(ADA)
    expect(await verify(first)).toEqual({ ok: true, records: 7, anchored: 7 })
  })

  it('of other tools are not anchored by the record that covers them', async () => {
    const layout = repository()
    await work(layout, 2)
    appendFileSync(`${layout.ledgerFile}`, '{"version":"0.1.0","id":"x","files":[]}\n')
    await work(layout, 1)
    expect(await openLedger(layout).unanchored()).toMatchObject({ count: 1, ranges: [] })
    expect(await verify(layout)).toEqual({ ok: true, records: 4, anchored: 3, foreign: 1 })
    await openLedger(layout).join(ADA)
    expect(await verify(layout)).toEqual({ ok: true, records: 4, anchored: 3 })
  })

  it('that lack only their last LF are kept, and not anchored', async () => {
    const layout = repository()
    await work(layout, 3)
    switchMachine(ben)
    const clone = cloneLayout(layout)
    writeFileSync(`${clone.ledgerFile}`, readFileSync(`${clone.ledgerFile}`).subarray(0, -1))
    await openLedger(clone).append(drafts(1))
    expect(await verify(clone)).toEqual({ ok: true, records: 5, anchored: 5, unanchored: [{ from: 1, to: 3 }] })
  })
})

describe('the branches of one machine', () => {
  it('verify on each branch, and never block an append', async () => {
    const layout = repository()
    await work(layout, 3)
    git(layout.root, 'switch', '-q', '-c', 'feature')
    const lengths = { main: 3, feature: 3 }
    for (const [branch, count] of [
      ['feature', 12],
      ['main', 1],
      ['feature', 1],
      ['main', 20],
      ['feature', 2],
      ['main', 1],
    ] as const) {
      git(layout.root, 'switch', '-q', branch)
      await work(layout, count)
      lengths[branch] += count
      const total = lengths[branch]
      const { absent, ...found } = await verify(layout)
      expect(found).toEqual({ ok: true, records: total, anchored: total })
      const most = Math.max(lengths.main, lengths.feature)
      expect(absent).toEqual(most > total ? { from: total + 1, seq: most, at: expect.any(String) } : undefined)
    }
    expect(linesOf(layout).some((line) => metadataOf(line).type === 'recovered')).toBe(false)
    git(layout.root, 'merge', '-q', '--no-edit', 'feature')
    expect(await openLedger(layout).join(ADA)).toMatchObject({ seq: 26 })
    expect(await verify(layout)).toEqual({ ok: true, records: 41, anchored: 26 })
  })

  it('that diverge from one record do not use copies of the other branch', async () => {
    const layout = repository()
    await work(layout, 3)
    git(layout.root, 'switch', '-q', '-c', 'feature')
    await work(layout, 1)
    git(layout.root, 'switch', '-q', 'main')
    await work(layout, 1)
    expect(await verify(layout)).toEqual({ ok: true, records: 4, anchored: 4 })
    git(layout.root, 'switch', '-q', 'feature')
    await work(layout, 1)
    expect(await verify(layout)).toEqual({ ok: true, records: 5, anchored: 5 })
  })

  it('a cut fails on the branch of the lost records, and is reported elsewhere', async () => {
    const layout = repository()
    await work(layout, 4)
    await work(layout, 12)
    git(layout.root, 'switch', '-q', '--detach', 'HEAD~1')
    const absent = { from: 5, seq: 16, at: expect.any(String) }
    expect(await verify(layout)).toEqual({ ok: true, records: 4, anchored: 4, absent })
    expect(await openLedger(layout).unanchored()).toMatchObject({ count: 0, absent })
    git(layout.root, 'switch', '-q', '-c', 'older')
    expect(await verify(layout)).toEqual({ ok: true, records: 4, anchored: 4, absent })
    await work(layout, 1)
    expect(await verify(layout)).toMatchObject({ ok: true, records: 5, anchored: 5, absent: { from: 6, seq: 16 } })
    git(layout.root, 'switch', '-q', 'main')
    writeFileSync(`${layout.ledgerFile}`, fileOf(linesOf(layout).slice(0, 9)))
    rmSync(layout.ledgerDir, { recursive: true })
    const cut = {
      ok: false,
      firstBad: { line: 10, reason: expect.stringMatching(/record 10, .* ends at 9\. .*--anchor/) },
    }
    expect(await verify(layout)).toMatchObject(cut)
    // A later append does not hide it.
    await openLedger(layout).append(drafts(9))
    expect(await verify(layout)).toMatchObject({ ok: false })
    await openLedger(layout).anchor()
    expect(await verify(layout)).toEqual({ ok: true, records: 18, anchored: 18 })
  })

  it('of which one was reset to an older state verify once a person accepts it', async () => {
    const layout = repository()
    await work(layout, 2)
    await work(layout, 12)
    git(layout.root, 'reset', '-q', '--hard', 'HEAD~1')
    expect(await verify(layout)).toMatchObject({ ok: false, firstBad: { line: 3 } })
    await openLedger(layout).anchor()
    expect(await verify(layout)).toEqual({ ok: true, records: 2, anchored: 2 })
    await work(layout, 1)
    expect(await verify(layout)).toEqual({ ok: true, records: 3, anchored: 3 })
  })

  it('a ledger that was restarted or removed fails on its branch until it is anchored', async () => {
    const layout = repository()
    await work(layout, 3)
    rmSync(`${layout.ledgerFile}`)
    rmSync(layout.ledgerDir, { recursive: true })
    expect(await verify(layout)).toMatchObject({ ok: false, firstBad: { line: 1 } })
    await work(layout, 2)
    expect(await verify(layout)).toMatchObject({
      ok: false,
      firstBad: { line: 1, reason: expect.stringMatching(/another ledger/) },
    })
    await openLedger(layout).anchor()
    expect(await verify(layout)).toEqual({ ok: true, records: 2, anchored: 2 })
  })
})

describe('the file of anchors', () => {
  const files = (machine: string) =>
    readdirSync(join(machine, 'escrowfs/ledgers')).map((name) => join(machine, 'escrowfs/ledgers', name))

  it('is named by the ledger’s id and readable only by its owner', async () => {
    const layout = repository()
    await work(layout, 2)
    const [file = ''] = files(ada)
    const { ledger } = metadataOf(linesOf(layout)[0] ?? '')
    expect(file.endsWith(`/${sha256hex(`${ledger}`).slice(0, 32)}.jsonl`)).toBe(true)
    expect([statSync(file).mode & 0o777, statSync(join(file, '..')).mode & 0o777]).toEqual([0o600, 0o700])
    expect(JSON.parse(readFileSync(file, 'utf8').split('\n')[1] ?? '')).toMatchObject({
      ...{ ledger, from: 2, seq: 2, hashes: [sha(linesOf(layout)[1] ?? '')], branch: 'ref: refs/heads/main' },
    })
  })

  it('may end with a torn line, and continues after it', async () => {
    const layout = repository()
    await work(layout, 2)
    const [file = ''] = files(ada)
    appendFileSync(file, '{"ledger":"x","from":3,"ha')
    await work(layout, 1)
    expect(await verify(layout)).toEqual({ ok: true, records: 3, anchored: 3 })
  })

  it('is compacted when it is long, without a loss of anchors', async () => {
    const layout = repository()
    await work(layout, 20)
    git(layout.root, 'switch', '-q', '-c', 'feature')
    await work(layout, 5)
    git(layout.root, 'switch', '-q', 'main')
    const [file = ''] = files(ada)
    const line = readFileSync(file, 'utf8').split('\n')[0] ?? ''
    const filler = `${line}\n`.repeat(Math.ceil((256 * 1024) / line.length) - 60)
    appendFileSync(file, filler)
    await work(layout, 60)
    const { size } = statSync(file)
    expect(size).toBeLessThan(40_000)
    expect(readdirSync(join(file, '..'))).toHaveLength(1)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await verify(layout)).toEqual({ ok: true, records: 80, anchored: 80 })
    git(layout.root, 'switch', '-q', 'feature')
    expect(await verify(layout)).toMatchObject({ ok: true, records: 25, anchored: 25, absent: { from: 26, seq: 80 } })
    writeFileSync(`${layout.ledgerFile}`, fileOf(linesOf(layout).slice(0, 23)))
    rmSync(layout.ledgerDir, { recursive: true, force: true })
    expect(await verify(layout)).toMatchObject({ ok: false, firstBad: { line: 24 } })
    git(layout.root, 'restore', '.')
    git(layout.root, 'switch', '-q', '-c', 'hostile')
    forge(layout)
    expect(await verify(layout)).toMatchObject(FORGED)
  })

  it('imports the anchors of earlier versions whose records are still in the file', async () => {
    switchMachine(ben)
    const layout = repository()
    await work(layout, 5)
    switchMachine(ada)
    const here = layoutAt(layout.root)
    const lines = linesOf(here)
    const old = join(ada, 'escrowfs/anchors', `${sha256hex(here.root).slice(0, 32)}.jsonl`)
    const anchorOf = (seq: number, hash = sha(lines[seq - 1] ?? '')) => {
      const [start, size] = [fileOf(lines.slice(0, seq - 1)).length, fileOf(lines.slice(0, seq)).length]
      return {
        root: here.root,
        ledger: metadataOf(lines[0] ?? '').ledger,
        seq,
        hash,
        start,
        size,
        at: '2026-01-01T00:00:00Z',
      }
    }
    mkdirSync(join(old, '..'), { recursive: true })
    const otherBranchAnchor = { ...anchorOf(5, 'ab'.repeat(32)), branch: 'ref: refs/heads/other' }
    writeFileSync(
      old,
      [anchorOf(2), anchorOf(4), otherBranchAnchor].map((each) => `${JSON.stringify(each)}\n`).join(''),
    )
    expect(await verify(here)).toEqual({ ok: true, records: 5, anchored: 4, unanchored: [{ from: 5, to: 5 }] })
    expect(readFileSync(old, 'utf8')).toBe(`${JSON.stringify(otherBranchAnchor)}\n`)
    expect(await verify(here)).toEqual({ ok: true, records: 5, anchored: 4, unanchored: [{ from: 5, to: 5 }] })
  })

  it('fails no append if it cannot be written', async () => {
    const layout = repository()
    await work(layout, 1)
    rmSync(join(ada, 'escrowfs/ledgers'), { recursive: true })
    writeFileSync(join(ada, 'escrowfs/ledgers'), 'a file\n')
    await work(layout, 2)
    rmSync(layout.ledgerDir, { recursive: true })
    expect(await verify(layout)).toEqual({ ok: true, records: 3, unanchored: [{ from: 1, to: 3 }] })
  })
})

describe('an append that was killed', () => {
  it('between the file and the anchor is found by its copies, and anchored by the next append', async () => {
    const layout = repository()
    await work(layout, 2)
    const [name = ''] = readdirSync(join(ada, 'escrowfs/ledgers'))
    const file = join(ada, 'escrowfs/ledgers', name)
    const before = readFileSync(file)
    await openLedger(layout).append(drafts(3))
    writeFileSync(file, before)
    expect(await verify(layout)).toEqual({ ok: true, records: 5, anchored: 5 })
    await openLedger(layout).append(drafts(1))
    rmSync(layout.ledgerDir, { recursive: true })
    expect(await verify(layout)).toEqual({ ok: true, records: 6, anchored: 6 })
  })
})

describe('blame', () => {
  it('marks the lines of unanchored records, forged ones included', async () => {
    const layout = repository()
    await initWorkspace(layout.root)
    writeFileSync(`${layout.intentsFile}`, INTENTS)
    await write(layout, 'one', ['const first = compute(alphabet, betagamma)'])
    const mine = { line: 1, contributor: 'ai', model: 'one', approvedBy: 'Ada' }
    expect(await blame(layout)).toMatchObject([mine])
    expect((await blame(layout))[0]).not.toHaveProperty('unanchored')
    switchMachine(ben)
    const clone = cloneLayout(layout)
    expect(await blame(clone)).toMatchObject([{ ...mine, unanchored: true }])
    await write(clone, 'two', [
      'const first = compute(alphabet, betagamma)',
      'const second = compute(deltaepsilon, zeta)',
    ])
    const [first, second] = await blame(clone)
    expect([first?.unanchored, second?.unanchored, second?.model]).toEqual([true, undefined, 'two'])
    await openLedger(clone).join(ADA)
    expect((await blame(clone)).some(({ unanchored }) => unanchored)).toBe(false)
    switchMachine(ada)
    git(layout.root, 'switch', '-q', '--detach')
    const lines = linesOf(layout)
    const at = lines.findIndex((line) => metadataOf(line).type === 'commit')
    const forged = (lines[at] ?? '').replaceAll('"Ada"', '"Eve"').replaceAll('"type":"ai"', '"type":"human"')
    writeFileSync(`${layout.ledgerFile}`, fileOf(rechain(lines.with(at, forged), at)))
    expect(await blame(layout)).toMatchObject([{ contributor: 'human', approvedBy: 'Eve', unanchored: true }])
    expect(await verify(layout)).toMatchObject({ ok: false, firstBad: { line: at + 1 } })
  })
})

const INTENTS = 'active_intents:\n  - { id: INT-001, name: One, status: IN_PROGRESS, owned_scope: ["**"] }\n'

/** An agent named after its session writes the file, and Ada approves it. */
async function write({ root }: Layout, name: string, lines: readonly string[]): Promise<void> {
  trust(root)
  const workspace = await openWorkspace(root)
  const session = await workspace.session({ id: name, agent: { model: name } })
  await session.selectIntent('INT-001')
  session.fs.writeFileSync('a.ts', fileOf(lines))
  await session.close()
  const review = await workspace.review(name)
  await review.approve(undefined, ADA)
  await review.commit()
  await workspace.close()
  commitAll(root)
}

async function blame({ root }: Layout): Promise<BlameLine[]> {
  return openLedger(layoutAt(root)).blame('a.ts')
}
