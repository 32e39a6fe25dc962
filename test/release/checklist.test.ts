import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Review } from '../../src/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { failure, metadataOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

const ANN = { name: 'Ann' }
const PRICES = 'Prices are integers'
const TAX = 'Tax is shown'
const MAIL = 'Mails have a subject'
const intents = (...prices: string[]) => `active_intents:
  - id: INT-001
    name: Prices
    status: IN_PROGRESS
    owned_scope: ["src/**"]
    acceptance_criteria: ${JSON.stringify(prices)}
  - id: INT-002
    name: Mail
    status: IN_PROGRESS
    owned_scope: ["mail/**"]
    acceptance_criteria: ["${MAIL}", { run: "true" }]
`
const REQUIRED = 'commit: { checklist: required }\n'

async function begin({ policy = '' } = {}) {
  const project = testWorkspace(undefined, intents(PRICES, TAX))
  if (policy !== '') project.write('.orchestration/policy.yaml', policy)
  const workspace = await project.open()
  const session = await startSession(workspace)
  session.fs.writeFileSync('src/a.ts', 'new\n')
  await session.flush()
  const review = await workspace.review('agent')
  await review.changes()
  return { project, workspace, session, review }
}

const checklistRows = async (review: Review) =>
  (await review.checklist()).map(({ intentId, number, criterion, ticked }) => [intentId, number, criterion, ticked])

async function checklistsIn(workspace: Parameters<typeof recordsOf>[0]) {
  const records = (await recordsOf(workspace)).map(metadataOf)
  return records.flatMap(({ type, checklist }) => (type === 'commit' ? [checklist] : []))
}

it('lists the sentences of the approved changes, else of all', async () => {
  const { session, review } = await begin()
  await session.selectIntent('INT-002')
  session.fs.writeFileSync('mail/m.ts', 'M\n')
  await session.flush()
  const all = [
    ['INT-001', 1, PRICES, false],
    ['INT-001', 2, TAX, false],
    ['INT-002', 1, MAIL, false],
  ]
  expect(await checklistRows(review)).toEqual(all)
  await review.changes()
  await review.approve('mail/m.ts', ANN)
  expect(await checklistRows(review)).toEqual(all.slice(2))
})

it('records the ticks with the commit, which spends them', async () => {
  const { workspace, session, review } = await begin()
  await review.tick('INT-001', TAX, true, ANN)
  await review.tick('INT-001', PRICES)
  await review.tick('INT-001', PRICES, false)
  expect(await review.checklist()).toMatchObject([
    { criterion: PRICES, ticked: false },
    { criterion: TAX, ticked: true, by: ANN, at: expect.stringMatching(/^\d{4}-/) },
  ])
  await review.approve()
  expect(await review.commit()).toMatchObject({
    committed: ['src/a.ts'],
    unticked: [{ intentId: 'INT-001', criterion: PRICES }],
  })
  expect(await checklistsIn(workspace)).toEqual([
    [
      { intent: 'INT-001', criterion: PRICES, ticked: false },
      { intent: 'INT-001', criterion: TAX, ticked: true, by: 'Ann' },
    ],
  ])
  session.fs.writeFileSync('src/a.ts', 'newer\n')
  await session.flush()
  expect((await review.checklist()).map(({ ticked }) => ticked)).toEqual([false, false])
})

it('spends a tick although the committer died before it wrote its review record', async () => {
  const { project, session, review } = await begin()
  await review.tick('INT-001', TAX, true, ANN)
  await review.approve()
  await review.commit()
  const { review: log } = layoutAt(project.root).session('agent')
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
  const remaining = lines.filter((line) => !line.includes('"kind":"committed"'))
  expect(remaining.length).toBe(lines.length - 1)
  writeFileSync(log, `${remaining.join('\n')}\n`)
  session.fs.writeFileSync('src/a.ts', 'newer\n')
  await session.flush()
  const again = await (await project.open()).review('agent')
  expect((await again.checklist()).map(({ ticked }) => ticked)).toEqual([false, false])
})

it('keeps a tick that a commit for another intent did not record', async () => {
  const { session, review } = await begin()
  await session.selectIntent('INT-002')
  session.fs.writeFileSync('mail/m.ts', 'M\n')
  await session.flush()
  await review.tick('INT-001', TAX, true, ANN)
  await review.changes()
  await review.approve('mail/m.ts', ANN)
  await review.commit()
  expect(await checklistRows(review)).toEqual([
    ['INT-001', 1, PRICES, false],
    ['INT-001', 2, TAX, true],
  ])
})

it('counts a tick for the exact text only', async () => {
  const { project, review } = await begin()
  await review.tick('INT-001', TAX)
  project.write('.orchestration/active_intents.yaml', intents(PRICES, `${TAX}.`))
  expect((await review.checklist()).map(({ ticked }) => ticked)).toEqual([false, false])
  project.write('.orchestration/active_intents.yaml', intents(TAX))
  expect(await checklistRows(review)).toEqual([['INT-001', 1, TAX, true]])
})

it('ignores sentences that no person has accepted on this machine', async () => {
  const { project, review } = await begin()
  writeFileSync(`${project.root}/.orchestration/active_intents.yaml`, intents())
  expect((await review.checklist()).map(({ criterion }) => criterion)).toEqual([PRICES, TAX])
})

it.each([
  ['INT-001', 'Another sentence'],
  ['INT-002', MAIL],
  ['INT-009', PRICES],
])('refuses a tick for %s %j without a staged change', async (intentId, criterion) => {
  const { review } = await begin()
  expect(await failure(() => review.tick(intentId, criterion))).toMatchObject({ reason: 'nothing_selected' })
})

it('lets an agent read the checklist and never tick', async () => {
  const { review } = await begin()
  process.env.ESCROW_SESSION = 'agent'
  try {
    expect(await review.checklist()).toHaveLength(2)
    expect(await failure(() => review.tick('INT-001', TAX))).toMatchObject({ reason: 'access_denied' })
  } finally {
    delete process.env.ESCROW_SESSION
  }
})

it('refuses a commit with unticked sentences if policy requires them, and names each with its command', async () => {
  const { project, review, workspace } = await begin({ policy: REQUIRED })
  await review.approve()
  expect(await failure(() => review.commit())).toMatchObject({
    reason: 'unticked',
    message: `Nothing was committed: policy.yaml requires each acceptance sentence to be ticked. Not ticked: INT-001 1: "${PRICES}"; INT-001 2: "${TAX}".`,
    hint: expect.stringContaining("'escrow tick agent INT-001 1 INT-001 2'"),
  })
  expect(project.text('src/a.ts')).toBe('a one\na two\n')
  expect(await checklistsIn(workspace)).toEqual([])
  await review.tick('INT-001', PRICES)
  await review.tick('INT-001', TAX)
  const result = await review.commit()
  expect([result.committed, result.unticked]).toEqual([['src/a.ts'], undefined])
})

it.each([
  ['the file alone', '', REQUIRED, 'tightens'],
  ['the accepted rules alone', REQUIRED, 'commit: { checklist: shown }\n', 'loosens'],
])('requires ticks if %s does', async (_, accepted, file, effect) => {
  const { project, review, workspace } = await begin({ policy: accepted })
  writeFileSync(`${project.root}/.orchestration/policy.yaml`, file)
  expect((await workspace.trust()).changes).toMatchObject([
    { effect, what: expect.stringContaining('commit.checklist') },
  ])
  await review.approve()
  expect(await failure(() => review.commit())).toMatchObject({ reason: 'unticked' })
})

it('undoes a commit without ticks', async () => {
  const { project, review, workspace } = await begin({ policy: REQUIRED })
  await review.approve()
  await review.tick('INT-001', PRICES)
  await review.tick('INT-001', TAX)
  const { id } = await review.commit()
  const undo = await workspace.undo(id)
  expect(await undo.checklist()).toEqual([])
  await undo.approve()
  await undo.commit()
  expect(project.text('src/a.ts')).toBe('a one\na two\n')
})

it('refuses a commit if a tick is cleared while it runs', async () => {
  const { project, review, workspace } = await begin({ policy: REQUIRED })
  const other = await workspace.review('agent')
  await review.approve()
  await review.tick('INT-001', PRICES)
  await review.tick('INT-001', TAX)
  let cleared: Promise<void> | undefined
  const racing = review.commit({
    onProgress: ({ phase }) => {
      if (phase === 'staging') cleared ??= clear(project.root)
    },
  })
  expect(await failure(() => racing)).toMatchObject({ reason: 'stale_file' })
  await cleared
  expect((await other.checklist()).map(({ ticked }) => ticked)).toEqual([true, false])
  expect(project.text('src/a.ts')).toBe('a one\na two\n')
})

/** Clears the tick on {@link TAX} at once, as another process would. */
async function clear(root: string): Promise<void> {
  const { review: log } = layoutAt(root).session('agent')
  const common = { id: 'x', at: new Date().toISOString(), entries: [], by: ANN }
  const record = { kind: 'tick', intent: 'INT-001', criterion: TAX, ticked: false }
  writeFileSync(log, `${JSON.stringify(Object.assign({}, common, record))}\n`, { flag: 'a' })
}
