import { homedir } from 'node:os'
import { expect, it } from 'vitest'
import { emptyCounts } from '../../src/backtest/read-history.js'
import { Replay, type ReplayedCall } from '../../src/backtest/replay.js'
import { Tally } from '../../src/backtest/tally.js'
import type { ReplayRules } from '../../src/judge/index.js'
import { claudeLine, histories, readAll } from './history.js'

async function replayLines(linesOfFile: readonly object[], rules: ReplayRules = {}): Promise<ReplayedCall[]> {
  const replay = new Replay(rules)
  const { calls } = readAll(histories({ 'a.jsonl': linesOfFile }))
  return Promise.all(calls.map((call) => replay.decide(call)))
}

const outcomesWithRules = (calls: readonly ReplayedCall[]) =>
  calls.map(({ outcome, rule }) => (rule === undefined ? outcome : `${outcome}: ${rule}`))

it('decides by the default rules as a live session does', async () => {
  const calls = await replayLines([
    claudeLine('Read', { file_path: '/home/ada/shop/src/a.ts' }),
    claudeLine('Read', { file_path: '/home/ada/shop/.env' }),
    claudeLine('Read', { file_path: '/home/ada/.ssh/id_ed25519' }),
    claudeLine('Edit', { file_path: 'src/a.ts' }),
    claudeLine('Write', { file_path: '/home/ada/shop/../other/a.ts' }),
    claudeLine('Write', { file_path: '/home/ada/shop/.git/hooks/pre-commit' }),
    claudeLine('Write', { file_path: '/home/ada/shop/.orchestration/policy.yaml' }),
    claudeLine('Bash', { command: 'git log --oneline' }),
    claudeLine('Bash', { command: 'npm test' }),
    claudeLine('Bash', { command: 'git push origin main' }),
    claudeLine('Bash', {}),
    claudeLine('TodoWrite', {}),
    claudeLine('mcp__shop__sell', {}),
    claudeLine('AskUserQuestion', {}),
  ])
  expect(outcomesWithRules(calls)).toEqual([
    'allowed',
    'refused: secrets',
    'refused: secrets',
    'staged',
    'refused: containment',
    'refused: protected',
    'refused: protected',
    'allowed',
    'staged',
    'asked: network',
    'refused: unsupported',
    'allowed',
    'allowed',
    'allowed',
  ])
})

it.each([
  ['INT-001', ['staged', 'refused: scope']],
  ['INT-003', ['staged', 'staged']],
])('uses the active intent %s alone if it can be selected, else all that can be', async (active, expected) => {
  const intents = `active_intents:
  - { id: INT-001, name: A, status: IN_PROGRESS, owned_scope: [src/**] }
  - { id: INT-002, name: B, status: PENDING, owned_scope: [docs/**] }
  - { id: INT-003, name: C, status: COMPLETED, owned_scope: [web/**] }
active_intent_id: ${active}
`
  const edits = ['src/a.ts', 'docs/a.md'].map((path) => claudeLine('Edit', { file_path: `/home/ada/shop/${path}` }))
  expect(outcomesWithRules(await replayLines(edits, { intents }))).toEqual(expected)
})

it('decides by a policy and intents', async () => {
  const policy =
    'access: { docs: read-only, migrations: ask, "secret.txt": hidden }\nterminal: { classes: { destructive: ask, network: deny, other: allow } }\n'
  const intents = `active_intents:
  - { id: INT-001, name: A, status: IN_PROGRESS, owned_scope: [src/**, migrations/**] }
  - { id: INT-002, name: B, status: PENDING, owned_scope: [docs/**] }
  - { id: INT-003, name: C, status: COMPLETED, owned_scope: [web/**] }
`
  const calls = await replayLines(
    [
      claudeLine('Write', { file_path: 'src/a.ts' }),
      claudeLine('Write', { file_path: 'docs/a.md' }),
      claudeLine('Write', { file_path: 'migrations/1.sql' }),
      claudeLine('Write', { file_path: 'web/a.ts' }),
      claudeLine('Read', { file_path: 'secret.txt' }),
      claudeLine('Bash', { command: 'rm -rf dist && curl https://example.org' }),
      claudeLine('Bash', { command: 'rm -rf dist' }),
    ],
    { policy, intents },
  )
  expect(outcomesWithRules(calls)).toEqual([
    'staged',
    'refused: access',
    'asked: access',
    'refused: scope',
    'refused: access',
    'refused: network',
    'asked: destructive',
  ])
})

it('asks about each call that changes something, if policy says so', async () => {
  const calls = await replayLines(
    [claudeLine('Bash', { command: 'npm test' }), claudeLine('Read', { file_path: 'a' })],
    {
      policy: 'approval: { modal: all }\n',
    },
  )
  expect(outcomesWithRules(calls)).toEqual(['asked: approval.modal', 'allowed'])
})

it.each([
  ['C:\\Users\\ada\\shop', 'C:\\Users\\ada\\shop\\src\\a.ts', 'C:\\Users\\ada\\other\\a.ts'],
  ['/Users/ada/shop', '/Users/ada/shop/src/a.ts', '/Users/ada/shop2/a.ts'],
  ['./shop', './shop/src/a.ts', './other/a.ts'],
])('maps the paths of another machine: %s', async (cwd, inside, outside) => {
  const calls = await replayLines([
    claudeLine('Write', { file_path: inside }, { cwd }),
    claudeLine('Write', { file_path: outside }, { cwd }),
  ])
  expect(outcomesWithRules(calls)).toEqual(['staged', 'refused: containment'])
  const tally = new Tally()
  for (const call of calls) tally.add(call)
  expect(tally.report(emptyCounts(), false).sessions).toMatchObject([{ files: 1 }])
})

it("replaces the home directory of the history's user with that of this process", async () => {
  const policy = 'outside: { "~/notes": deny }\n'
  const calls = await replayLines(
    [
      claudeLine('Read', { file_path: '/home/ada/notes/a.md' }),
      claudeLine('Read', { file_path: `${homedir()}/notes/a.md` }, { sessionId: 's2', cwd: `${homedir()}/x` }),
    ],
    { policy },
  )
  expect(outcomesWithRules(calls)).toEqual(['refused: access', 'refused: access'])
})

it('keeps the first directory of a session as its workspace', async () => {
  const calls = await replayLines([
    claudeLine('Write', { file_path: 'a' }),
    claudeLine('Write', { file_path: 'b' }, { cwd: '/home/ada/shop/src' }),
    claudeLine('Write', { file_path: 'c' }, { cwd: '/home/ada' }),
  ])
  expect(calls.map(({ call, outcome }) => [outcome, call.writes?.[0]?.path.split('/workspace/')[1]])).toEqual([
    ['staged', 'a'],
    ['staged', 'src/b'],
    ['refused', undefined],
  ])
})

it('refuses rules that cannot be parsed, and names their files', () => {
  const names = { policy: 'new.yaml', intents: 'tasks.yaml' }
  expect(() => new Replay({ policy: 'acess: {}\n', names })).toThrow(/new\.yaml, line 1/)
  expect(() => new Replay({ intents: 'active_intents: 3\n', names })).toThrow(/tasks\.yaml, line 1/)
})
