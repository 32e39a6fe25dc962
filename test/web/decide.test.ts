import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type {
  WireChanges,
  WireCommit,
  WireDecided,
  WireFile,
  WireRows,
  WireState,
  WireText,
} from '../../src/web/wire.js'
import { runAgent } from './scene.js'
import { findChange, type Setup, setUp } from './setup.js'

/** Decisions through the API: each on a shown version, refused if that has changed. */

const CENTS = '/api/sessions/cents'
const selection = (change: { path: string; mark: string }) => ({ changes: [{ path: change.path, mark: change.mark }] })

async function setUpChanges(): Promise<Setup> {
  const setup = await setUp()
  await runAgent(setup.project.root, setup.session)
  return setup
}

/** The change set once the server has seen the changed disk. */
async function waitForDrift(ask: Setup['ask']): Promise<WireChanges> {
  const getChanges = async () => (await ask(`${CENTS}/changes`)).json<WireChanges>()
  const isSeen = ({ groups }: WireChanges) =>
    groups.some(({ changes }) => changes.some(({ flags }) => flags.includes('drifted')))
  await expect.poll(async () => isSeen(await getChanges()), { timeout: 10_000 }).toBe(true)
  return getChanges()
}

describe('a verdict', () => {
  it('applies to the shown version, and is refused once the agent has written again', async () => {
    const { ask, changes, session, project } = await setUpChanges()
    const tax = findChange(await changes(), 'src/tax.ts')
    session.fs.writeFileSync(`${project.root}/src/tax.ts`, 'export const tax = () => 0\n')
    await session.flush()
    const late = await ask(`${CENTS}/verdicts`, { verdict: 'approved', selection: selection(tax) })
    expect([late.status, late.text]).toEqual([409, expect.stringMatching(/changed .*since it was shown/)])
    const current = findChange(await changes(), 'src/tax.ts')
    expect([current.state, current.mark === tax.mark]).toEqual(['pending', false])
    const response = await ask(`${CENTS}/verdicts`, { verdict: 'approved', selection: selection(current) })
    expect([response.status, response.json<WireDecided>().paths]).toEqual([200, ['src/tax.ts']])
    expect((await ask(`${CENTS}/verdicts`, { verdict: 'approved', selection: selection(tax) })).status).toBe(409)
  })

  it('on everything requires the displayed digest', async () => {
    const { ask, session, project } = await setUpChanges()
    const { digest } = (await ask(`${CENTS}/changes`)).json<{ digest: string }>()
    session.fs.writeFileSync(`${project.root}/src/new.ts`, 'x\n')
    await session.flush()
    await ask(`${CENTS}/changes`)
    const all = (of: string) => ask(`${CENTS}/verdicts`, { verdict: 'approved', selection: { all: of } })
    await expect.poll(async () => (await ask(`${CENTS}/changes`)).json<{ digest: string }>().digest).not.toBe(digest)
    expect((await all(digest)).status).toBe(409)
    const current = (await ask(`${CENTS}/changes`)).json<{ digest: string }>()
    expect((await all(current.digest)).json<WireDecided>().paths).toHaveLength(7)
  })

  it('on everything reports what it skipped, and why', async () => {
    const { ask, changes, project } = await setUpChanges()
    await changes()
    project.write('src/tax.ts', 'another hand\n')
    const { digest } = await waitForDrift(ask)
    const response = await ask(`${CENTS}/verdicts`, { verdict: 'approved', selection: { all: digest } })
    const { paths, left } = response.json<WireDecided>()
    expect(paths).not.toContain('src/tax.ts')
    expect(left).toEqual([{ path: 'src/tax.ts', message: expect.stringMatching(/src\/tax\.ts.*changed on disk/) }])
    const { text } = await ask(`${CENTS}/commit`, {})
    const done = JSON.parse(text.trim().split('\n').at(-1) ?? '')
    expect(done).toMatchObject({ done: { left } })
  })

  it('on a hunk names it, can be withdrawn, and a rejection reaches the agent', async () => {
    const { ask, changes, session } = await setUpChanges()
    const cart = findChange(await changes(), 'src/cart.ts')
    const file = (await ask(`${CENTS}/file?path=src/cart.ts&mark=${cart.mark}`)).json<WireFile>()
    const [first, last] = file.hunks
    const hunk = (id = '', more = {}) =>
      ask(`${CENTS}/verdicts`, {
        verdict: 'approved',
        selection: { hunks: { path: 'src/cart.ts', ids: [id] } },
        ...more,
      })
    expect((await hunk('h_wrong')).status).toBe(409)
    expect((await hunk(first?.id)).json<WireDecided>()).toEqual({
      paths: ['src/cart.ts'],
      hunks: 1,
      left: [],
      undo: [{ hunks: { path: 'src/cart.ts', ids: [first?.id] } }],
    })
    expect((await hunk(last?.id, { verdict: 'rejected' })).status).toBe(400)
    expect((await hunk(last?.id, { verdict: 'rejected', reason: 'Keep the plus.' })).status).toBe(200)
    expect(findChange(await changes(), 'src/cart.ts').hunks).toEqual([2, 1, 1])
    expect(await session.feedback()).toMatchObject([
      { path: 'src/cart.ts', reason: 'Keep the plus.', by: { name: 'Ada' } },
    ])
    expect((await hunk(first?.id, { verdict: 'withdrawn' })).status).toBe(200)
    expect(findChange(await changes(), 'src/cart.ts').hunks).toEqual([2, 0, 1])
  })

  it('can be on a piece of a hunk that is split at its unchanged lines', async () => {
    const { ask, changes } = await setUpChanges()
    const cart = findChange(await changes(), 'src/cart.ts')
    const file = (await ask(`${CENTS}/file?path=src/cart.ts&mark=${cart.mark}`)).json<WireFile>()
    expect(file.hunks.map(({ divisible }) => divisible)).toEqual([true, false])
    const answer = await ask(`${CENTS}/split`, { path: 'src/cart.ts', hunk: file.hunks[0]?.id })
    expect(answer.json<{ pieces: number }>().pieces).toBeGreaterThan(2)
    const later = (
      await ask(`${CENTS}/file?path=src/cart.ts&mark=${findChange(await changes(), 'src/cart.ts').mark}`)
    ).json<WireFile>()
    expect(later.hunks.length).toBeGreaterThan(3)
  })
})

describe('an edit', () => {
  it("of a shown version is recorded as the reviewer's", async () => {
    const { ask, changes, session, project } = await setUpChanges()
    const tax = findChange(await changes(), 'src/tax.ts')
    const { after } = (await ask(`${CENTS}/text?path=src/tax.ts&mark=${tax.mark}`)).json<WireText>()
    const text = `${after}// rounded\n`
    expect((await ask(`${CENTS}/edit`, { path: 'src/tax.ts', mark: 'other', text })).status).toBe(409)
    expect((await ask(`${CENTS}/edit`, { path: 'src/tax.ts', mark: tax.mark, text })).status).toBe(200)
    expect(findChange(await changes(), 'src/tax.ts').flags).toContain('edited')
    await session.flush()
    expect(session.fs.readFileSync(`${project.root}/src/tax.ts`, 'utf8')).toBe(text)
  })
})

describe('a question', () => {
  it('is answered, and the agent gets the answer', async () => {
    const { ask, session } = await setUpChanges()
    const question = (await ask('/api/state')).json<WireState>().sessions[0]?.questions[0]
    expect(question).toMatchObject({ kind: 'scope', intentId: 'INT-007', globs: ['test/**'] })
    const at = `${CENTS}/questions/${question?.id}`
    expect((await ask(at, { answer: 'deny' })).status).toBeGreaterThanOrEqual(400)
    expect((await ask(at, { answer: 'allow', words: 'Do.' })).status).toBe(200)
    expect((await ask(at, { answer: 'allow' })).status).toBe(404)
    expect(await session.feedback()).toMatchObject([{ reason: expect.stringContaining('Do.') }])
  })
})

describe('a commit', () => {
  it('streams its progress and result; an undo stages the inverse', async () => {
    const { ask, changes, project, session } = await setUpChanges()
    for (const path of ['src/tax.ts', 'src/old-prices.ts'])
      await ask(`${CENTS}/verdicts`, { verdict: 'approved', selection: selection(findChange(await changes(), path)) })
    const { text, headers } = await ask(`${CENTS}/commit`, {})
    expect(headers['content-type']).toMatch(/^application\/x-ndjson/)
    const lines = text
      .trim()
      .split('\n')
      .map((line): WireCommit => JSON.parse(line))
    expect(lines.at(0)).toMatchObject({ phase: expect.any(String), total: expect.any(Number) })
    expect(lines.at(-1)).toMatchObject({ done: { committed: ['src/tax.ts', 'src/old-prices.ts'] } })
    expect(project.text('src/tax.ts')).toContain('Math.round')
    await session.flush()
    expect((await changes()).map(({ path }) => path)).not.toContain('src/tax.ts')
    const [done] = lines.flatMap((line) => ('done' in line ? [line.done] : []))
    const undone = (await ask('/api/undo', { commit: done?.id })).json<{ session: string }>()
    expect((await ask(`/api/sessions/${undone.session}/changes`)).status).toBe(200)
    expect((await ask('/api/undo', { commit: 'none' })).status).toBeGreaterThanOrEqual(400)
  })

  it('that is refused names the path and the reason', async () => {
    const { ask, changes, project } = await setUpChanges()
    await ask(`${CENTS}/verdicts`, {
      verdict: 'approved',
      selection: selection(findChange(await changes(), 'src/tax.ts')),
    })
    project.write('src/tax.ts', 'another hand\n')
    const failed = JSON.parse((await ask(`${CENTS}/commit`, {})).text.trim().split('\n').at(-1) ?? '')
    expect(failed).toMatchObject({ failed: { reason: 'stale_file', refused: [{ path: 'src/tax.ts' }] } })
    expect(project.text('src/tax.ts')).toBe('another hand\n')
  })
})

describe('an invalid decision', () => {
  it('is refused before anyone is asked', async () => {
    const { ask, changes } = await setUpChanges()
    const tax = findChange(await changes(), 'src/tax.ts')
    const bad = [
      {},
      { verdict: 'approved' },
      { verdict: 'approved', selection: {} },
      { verdict: 'approved', selection: { changes: [] } },
      { verdict: 'approved', selection: selection(tax), by: { name: 'Eve' } },
      { verdict: 'rejected', selection: selection(tax), reason: '   ' },
      { verdict: 'approved', selection: { changes: [{ path: 'src/**', mark: tax.mark }] } },
    ]
    const codes = []
    for (const body of bad) codes.push((await ask(`${CENTS}/verdicts`, body)).status)
    expect(codes).toEqual([400, 400, 400, 400, 400, 400, 409])
    const form = await ask(`${CENTS}/verdicts`, bad[4], { 'content-type': 'text/plain' })
    expect(form.status).toBe(400)
    expect((await ask('/api/sessions/none/changes')).status).toBe(404)
    expect(findChange(await changes(), 'src/tax.ts').state).toBe('pending')
  })
})

describe('rows', () => {
  it('are loaded in pages, with colours and changed words', async () => {
    const { ask, changes } = await setUpChanges()
    const { mark } = findChange(await changes(), 'src/cart.ts')
    const at = (layout: string, from = 0) =>
      ask(`${CENTS}/rows?path=src/cart.ts&mark=${mark}&layout=${layout}&from=${from}`)
    const unified = (await at('unified')).json<WireRows>().rows
    expect(unified[1]).toEqual({
      t: ' ',
      o: 1,
      n: 1,
      s: [['import', 'keyword'], ' { tax } ', ['from', 'keyword'], ' ', ["'./tax.js'", 'string']],
    })
    expect(JSON.stringify(unified)).toContain('[", in cents","comment",1]')
    const split = (await at('split')).json<WireRows>().rows
    expect(split[2]).toEqual([null, expect.objectContaining({ t: '+', n: 2 })])
    expect((await at('split', 3)).json<WireRows>().rows).toEqual(split.slice(3))
  })
})

describe('a changed policy and intents', () => {
  it('are shown as text, and accepted by the displayed digest', async () => {
    const { ask, project } = await setUpChanges()
    writeFileSync(`${project.root}/.orchestration/policy.yaml`, 'access: {"src/\u202elegacy": allow}\n')
    const { trust } = (await ask('/api/state')).json<WireState>()
    expect(trust?.changes.map(({ effect, what }) => [effect, what.includes('\u202e')])).toEqual([
      ['loosens', false],
      ['loosens', false],
    ])
    writeFileSync(`${project.root}/.orchestration/policy.yaml`, 'access: {src: allow}\n')
    expect((await ask('/api/trust', { digest: trust?.digest })).status).toBe(409)
    const trustAfter = (await ask('/api/state')).json<WireState>().trust
    expect((await ask('/api/trust', { digest: trustAfter?.digest })).status).toBe(200)
    expect((await ask('/api/state')).json<WireState>().trust).toBeUndefined()
  })
})
