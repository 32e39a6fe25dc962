import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { library } from '../../src/cli/library.js'
import { run } from '../../src/cli/run.js'
import { type Scene, scene } from '../attacks/kit.js'
import { commitAll, git } from '../support/git.js'

/** Checks the JSON document of each command that decides something, on a real workspace. */

const reviewer = z.strictObject({ name: z.string(), email: z.string().optional() })
const verdict = z.strictObject({
  id: z.string().min(1),
  verdict: z.enum(['approved', 'rejected', 'withdrawn']),
  paths: z.array(z.string()),
  hunks: z.array(z.string()).optional(),
  reason: z.string().optional(),
  by: reviewer,
  at: z.iso.datetime(),
})
const texts = z.array(z.string())
const intent = z.strictObject({
  id: z.string(),
  name: z.string(),
  status: z.enum(['DRAFT', 'PENDING', 'IN_PROGRESS', 'BLOCKED', 'COMPLETED', 'ARCHIVED']),
  ownedScope: texts,
  constraints: texts,
  acceptanceCriteria: texts,
  checks: z.array(
    z.strictObject({
      run: z.string(),
      paths: texts.optional(),
      timeout: z.number().optional(),
      network: texts.optional(),
    }),
  ),
  dependsOn: texts,
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
})
const request = z.strictObject({
  session: z.string(),
  id: z.string(),
  kind: z.literal('scope'),
  intentId: z.string(),
  globs: texts,
  reach: z
    .strictObject({ files: z.int(), atLeast: z.literal(true).optional(), examples: texts, running: texts })
    .optional(),
  why: z.string(),
  at: z.iso.datetime(),
})
const counts = z.record(z.string(), z.int())
const spread = { mean: z.number(), median: z.int(), p95: z.int(), max: z.int() }
const listed = z.strictObject({ total: z.int(), first: z.array(z.strictObject({ name: z.string(), count: z.int() })) })
const outcome = z.enum(['allowed', 'staged', 'asked', 'refused'])
const figures = z.strictObject({ calls: counts, prompts: z.int(), promptsPerSession: z.number(), sessions: z.int() })
const decided = z.strictObject({ expect: z.enum(['allow', 'ask', 'deny']), reason: z.string().optional() })
const DOCUMENTS = {
  proposal: z.strictObject({
    learned: z.strictObject({ classes: texts, access: texts, scope: texts }),
    diffs: z.strictObject({ policy: z.string(), intents: z.string() }),
    before: figures,
    after: figures,
  }),
  cases: z.strictObject({
    cases: z.int(),
    changed: z.array(
      z.strictObject({
        file: z.string(),
        number: z.int(),
        call: z.record(z.string(), z.unknown()),
        expected: decided,
        actual: decided,
      }),
    ),
  }),
  backtest: z.strictObject({
    read: counts,
    calls: counts,
    rules: z.array(z.strictObject({ rule: z.string(), outcome, count: z.int(), examples: texts })),
    classes: counts,
    network: z.union([z.boolean(), z.literal('ask'), texts]),
    prompts: z.strictObject({ ...spread, total: z.int(), sessionsWithout: z.int() }),
    review: z.strictObject(spread),
    secrets: listed,
    outside: listed,
    deletions: listed,
    tools: listed,
    sessions: z.array(
      z.strictObject({
        id: z.string(),
        host: z.string(),
        directory: z.string(),
        calls: counts,
        prompts: z.int(),
        files: z.int(),
        commands: z.int(),
      }),
    ),
  }),
  approve: z.strictObject({ session: z.string(), verdict, left: texts }),
  reject: z.strictObject({ session: z.string(), verdict }),
  discard: z.strictObject({ session: z.string(), left: z.int() }),
  commit: z.strictObject({
    id: z.string(),
    seq: z.int(),
    committed: texts,
    conflicts: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
    warnings: texts.optional(),
  }),
  undo: z.strictObject({
    commits: texts,
    session: z.string(),
    changes: z.array(z.strictObject({ path: z.string(), drifted: z.boolean() })),
  }),
  answer: z.strictObject({ session: z.string(), question: z.string(), answer: z.string() }),
  trailer: z.strictObject({
    ledger: z.string(),
    seq: z.int().positive(),
    hash: z.string().regex(/^[0-9a-f]{64}$/),
    size: z.int().positive(),
  }),
  init: z.strictObject({
    created: texts,
    kept: texts,
    settings: z.array(z.strictObject({ path: z.string(), change: z.enum(['created', 'changed', 'removed']) })),
    manual: z.array(z.strictObject({ hook: z.string(), problem: z.string(), line: z.string() })).optional(),
  }),
  adopt: z.strictObject({ written: texts, left: z.int().nonnegative() }),
  imported: z.strictObject({ imported: texts }),
  intent: z.strictObject({ intent }),
  scope: z.strictObject({ intent, requests: z.array(request) }),
}

let setup: Scene
beforeEach(() => {
  setup = scene({ 'src/kept.txt': 'kept\n' })
})

async function escrow(...argv: string[]) {
  const output = { code: -1, out: '', err: '' }
  const io = {
    out: (text: string) => {
      output.out += text
    },
    err: (text: string) => {
      output.err += text
    },
    ...{ cwd: setup.root, terminal: true, color: false, version: '1' },
  }
  // escrow is not installed here. test/client-settings runs the hooks.
  const installed = { ...library, probeEntry: async () => undefined }
  output.code = await run([...argv, '--json'], io, async () => installed)
  return output
}

/** Runs a command that must print exactly one document of a schema. */
async function runDocument<T>(schema: z.ZodType<T>, ...argv: string[]): Promise<T> {
  const { code, out, err } = await escrow(...argv)
  expect([code, err]).toEqual([0, ''])
  expect(out.endsWith('}\n')).toBe(true)
  return schema.parse(JSON.parse(out))
}

async function stageFiles(files: Readonly<Record<string, string>>, more: { ask?: string } = {}): Promise<void> {
  const workspace = await setup.open()
  const session = await setup.agent(workspace, 'agent-1')
  for (const [path, text] of Object.entries(files)) session.fs.writeFileSync(path, text)
  if (more.ask !== undefined) await session.requestScope([more.ask], 'The page needs it.')
  await workspace.close()
}

const BY = ['--by', 'Ada <ada@example.org>']

it('a review, its commit and its undo each print one document', async () => {
  await stageFiles({ 'src/a.txt': 'a\n', 'src/b.txt': 'b\n', 'src/c.txt': 'c\n' })
  const approved = await runDocument(DOCUMENTS.approve, 'approve', 'agent-1', 'src/a.txt', ...BY)
  expect(approved).toMatchObject({ session: 'agent-1', left: ['src/b.txt', 'src/c.txt'] })
  expect(approved.verdict).toMatchObject({ verdict: 'approved', paths: ['src/a.txt'], by: { name: 'Ada' } })
  const rejected = await runDocument(DOCUMENTS.reject, 'reject', 'agent-1', 'src/b.txt', '--reason', 'Not this.', ...BY)
  expect(rejected.verdict).toMatchObject({ verdict: 'rejected', reason: 'Not this.' })
  expect(await runDocument(DOCUMENTS.discard, 'discard', 'agent-1', 'src/c.txt')).toEqual({
    session: 'agent-1',
    left: 2,
  })
  const done = await runDocument(DOCUMENTS.commit, 'commit', 'agent-1')
  expect(done).toMatchObject({ seq: 1, committed: ['src/a.txt'], conflicts: [] })
  const undone = await runDocument(DOCUMENTS.undo, 'undo', done.id)
  expect(undone.changes).toEqual([{ path: 'src/a.txt', drifted: false }])
  expect((await runDocument(DOCUMENTS.trailer, 'trailer')).seq).toBeGreaterThan(1)
})

it('an empty commit prints a document too', async () => {
  await stageFiles({ 'src/a.txt': 'a\n' })
  const { code, out } = await escrow('commit', 'agent-1')
  expect(code).toBe(1)
  expect(DOCUMENTS.commit.parse(JSON.parse(out))).toMatchObject({ id: '', committed: [] })
})

it('a refusal prints no document, and its message goes to stderr', async () => {
  await stageFiles({ 'src/a.txt': 'a\n' })
  for (const line of [
    ['approve', 'agent-1', '--digest', 'sha256:0'],
    ['commit', 'nobody'],
    ['trailer', '--hook'],
    ['intents', 'edit', 'INT-001'],
    ['intents', 'scope', 'INT-009'],
    ['init', '--claude'],
  ]) {
    const { code, out, err } = await escrow(...line)
    expect([line, out]).toEqual([line, ''])
    expect(code).not.toBe(0)
    expect(err).not.toBe('')
  }
})

it('intents and requests for scope each print one document', async () => {
  const added = await runDocument(DOCUMENTS.intent, 'intents', 'add', 'Show prices', '--scope', 'web/**', ...BY)
  expect(added.intent).toMatchObject({ id: 'INT-002', name: 'Show prices', ownedScope: ['web/**'] })
  const edited = await runDocument(DOCUMENTS.intent, 'intents', 'edit', 'INT-002', '--name', 'Show all prices')
  expect(edited.intent.name).toBe('Show all prices')
  const set = await runDocument(DOCUMENTS.intent, 'intents', 'status', 'INT-002', 'in-progress')
  expect(set.intent.status).toBe('IN_PROGRESS')
  await stageFiles({}, { ask: 'docs/**' })
  const requested = await runDocument(DOCUMENTS.scope, 'intents', 'scope', 'INT-001')
  expect(requested.requests).toMatchObject([{ session: 'agent-1', globs: ['docs/**'] }])
  const question = requested.requests[0]?.id ?? ''
  const answered = await runDocument(DOCUMENTS.answer, 'answer', 'agent-1', question.slice(0, 8), 'allow')
  expect(answered).toEqual({ session: 'agent-1', question, answer: 'allow' })
  const afterwards = await runDocument(DOCUMENTS.scope, 'intents', 'scope', 'INT-001')
  expect(afterwards).toMatchObject({ intent: { ownedScope: ['src/**', 'docs/**'] }, requests: [] })
})

it('adopt and notes print what they wrote, and init --git which hooks it installed', async () => {
  git(setup.root, 'init', '-q', '-b', 'main')
  expect((await runDocument(DOCUMENTS.init, 'init', '--git', '--yes')).settings).toHaveLength(4)
  const removed = await runDocument(DOCUMENTS.init, 'init', '--git', '--remove', '--yes')
  expect(removed.settings.map(({ change }) => change)).toEqual(Array(4).fill('removed'))
  git(setup.root, 'config', 'core.hooksPath', '.husky')
  expect((await runDocument(DOCUMENTS.init, 'init', '--git', '--yes')).manual).toHaveLength(4)
  commitAll(setup.root)
  expect(await runDocument(DOCUMENTS.adopt, 'adopt')).toEqual({ written: [], left: 0 })
  expect(await runDocument(DOCUMENTS.adopt, 'notes', 'export', 'HEAD')).toEqual({ written: [], left: 0 })
  git(setup.root, 'notes', '--ref=other', 'add', '-m', 'a note')
  const { imported } = await runDocument(DOCUMENTS.imported, 'notes', 'import', 'refs/notes/other')
  expect(imported).toEqual([git(setup.root, 'rev-parse', 'HEAD').trim()])
})

it('init changes settings only with --yes', async () => {
  const fresh = setup.at('fresh')
  mkdirSync(fresh)
  const initialized = await runDocument(DOCUMENTS.init, '-C', fresh, 'init')
  expect(initialized.created).toContain('.orchestration/policy.yaml')
  expect(initialized.settings).toEqual([])
  const entered = await runDocument(DOCUMENTS.init, '-C', fresh, 'init', '--claude', '--yes')
  expect(entered.created).toEqual([])
  expect(entered.settings).toContainEqual({ path: '.claude/settings.json', change: 'created' })
  const left = await runDocument(DOCUMENTS.init, '-C', fresh, 'init', '--remove', '--yes')
  expect(left.settings.map(({ path }) => path)).toContain('.claude/settings.json')
})

it('a backtest prints one document, with the rules of the workspace or of named files', async () => {
  const call = (id: string, input: object, name = 'Bash') => ({
    type: 'assistant',
    sessionId: 's1',
    cwd: '/home/ada/shop',
    message: { content: [{ type: 'tool_use', id, name, input }] },
  })
  const calls = [call('1', { command: 'rm -rf dist' }), call('2', { file_path: 'web/a.ts' }, 'Write')]
  const file = setup.at('history.jsonl')
  writeFileSync(file, calls.map((each) => `${JSON.stringify(each)}\n`).join(''))
  // The workspace's intent owns other paths.
  const own = await runDocument(DOCUMENTS.backtest, 'backtest', file)
  expect(own.calls).toMatchObject({ all: 2, staged: 1, refused: 1 })
  writeFileSync(setup.at('p.yaml'), 'terminal: { classes: { destructive: ask } }\n')
  const other = await runDocument(DOCUMENTS.backtest, 'backtest', 'history.jsonl', '--policy', 'p.yaml')
  expect(other.rules.map(({ rule }) => rule)).toEqual(['destructive', 'scope'])
  const page = await runDocument(DOCUMENTS.backtest, 'backtest', file, '--below', '/home', '--html', setup.at('r.html'))
  expect(page.sessions).toHaveLength(1)
  expect(readFileSync(setup.at('r.html'), 'utf8')).toMatch(/^<!doctype html>/)
  expect((await runDocument(DOCUMENTS.proposal, 'backtest', file, '--propose')).learned.classes).toEqual([])
  await runDocument(DOCUMENTS.backtest, 'backtest', file, '--record', 'cases')
  expect(await runDocument(DOCUMENTS.cases, 'policy', 'test', 'cases')).toEqual({ cases: 2, changed: [] })
  const changed = await escrow('policy', 'test', './cases', '--policy', 'p.yaml')
  expect(changed.code).toBe(1)
  expect(DOCUMENTS.cases.parse(JSON.parse(changed.out)).changed).toMatchObject([
    {
      file: 'recorded.yaml',
      number: 1,
      expected: { expect: 'allow' },
      actual: { expect: 'ask', reason: 'destructive' },
    },
  ])
  const { code, err } = await escrow('backtest', file, '--policy', 'absent.yaml')
  expect([code, err]).toEqual([1, expect.stringContaining('absent.yaml does not exist.')])
})
