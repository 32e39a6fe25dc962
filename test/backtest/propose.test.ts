import { expect, it } from 'vitest'
import { findHistories, propose, renderProposal } from '../../src/backtest/index.js'
import type { ReplayRules } from '../../src/judge/index.js'
import { readPolicy } from '../../src/policy/index.js'
import { claudeLine, histories } from './history.js'

/** Twenty sessions that make the same calls. */
function sessions(calls: readonly (readonly [string, object])[]): Record<string, readonly object[]> {
  return Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [
      `${index}.jsonl`,
      calls.map(([name, input]) => claudeLine(name, input, { sessionId: `s${index}` })),
    ]),
  )
}

const proposalFor = (calls: readonly (readonly [string, object])[], rules: ReplayRules) =>
  propose({ files: findHistories([histories(sessions(calls))]), rules })

const ASKING =
  '# Ours.\nterminal: { classes: { destructive: ask, write: ask, network: ask } }\naccess: { src/gen: ask }\n'

it('proposes rules that ask less often, and shows their effect on other sessions', async () => {
  const proposal = await proposalFor(
    [
      ['Bash', { command: 'mkdir out' }],
      ['Bash', { command: './build.sh' }],
      ['Bash', { command: 'rm -rf out' }],
      ['Bash', { command: 'curl https://example.org' }],
      ['Write', { file_path: 'src/gen/a.ts' }],
      ['Write', { file_path: 'docs/[a]/b.md' }],
    ],
    { policy: ASKING },
  )
  expect(proposal.learned).toEqual({ classes: ['write', 'other'], access: ['src/gen'], scope: ['docs/**', 'src/**'] })
  expect(proposal.diffs.policy).toContain(' # Ours.\n')
  expect(proposal.before.promptsPerSession).toBe(5)
  expect(proposal.after.promptsPerSession).toBe(2)
  expect(proposal.before.sessions).toBeGreaterThan(0)
  expect(proposal.before.sessions).toBeLessThan(20)
  const text = renderProposal(proposal)
  expect(text).toMatch(/^--- policy\.yaml\tnow\n\+\+\+ policy\.yaml\tproposed\n/)
  expect(text).toContain('owned_scope')
})

it.each([
  ['a secret', { command: 'mkdir out && cp .env out' }],
  ['a path outside', { command: 'mkdir out && cp a /etc/cron.d/x' }],
  ['a file of CI', { command: 'cp a .github/workflows/x.yml' }],
  ['a hook', { command: 'cp a .git/hooks/pre-commit' }],
])('opens no class whose commands named %s', async (_, command) => {
  const { learned } = await proposalFor(
    [
      ['Bash', command],
      ['Bash', { command: 'mkdir out' }],
    ],
    { policy: ASKING },
  )
  expect(learned.classes).toEqual([])
})

it('never allows deletions, the network, or protected files', async () => {
  const proposal = await proposalFor(
    [
      ['Bash', { command: 'rm a' }],
      ['Bash', { command: 'git push' }],
      ['Write', { file_path: '.github/workflows/ci.yml' }],
      ['Write', { file_path: '.env' }],
      ['Write', { file_path: '/etc/passwd' }],
    ],
    {
      policy: 'terminal: { classes: { destructive: ask, network: ask } }\naccess: { .github: ask }\n',
      intents: undefined,
    },
  )
  expect(proposal.learned).toEqual({ classes: [], access: [], scope: [] })
  expect(renderProposal(proposal)).toMatch(/^Nothing to propose\./)
})

it('adds an intent for paths outside every scope', async () => {
  const intents = '# Tasks\nactive_intents:\n  - { id: INT-007, name: A, status: PENDING, owned_scope: ["src/**"] }\n'
  const proposal = await proposalFor(
    [
      ['Write', { file_path: 'src/a' }],
      ['Write', { file_path: 'web/b' }],
    ],
    { intents },
  )
  expect(proposal.diffs.intents).toContain('+  - id: INT-008')
  expect(proposal.diffs.intents).toContain('+      - web/**')
  expect(proposal.diffs.intents).not.toContain('+      - src/**')
  expect([proposal.before.calls.refused > 0, proposal.after.calls.refused]).toEqual([true, 0])
})

it('proposes a policy that can be parsed', async () => {
  const { diffs } = await proposalFor([['Bash', { command: 'mkdir out' }]], {
    policy: 'terminal: { classes: { write: ask } }\n',
  })
  const added = diffs.policy.split('\n').flatMap((line) => (/^\+(?!\+\+)/.test(line) ? [line.slice(1)] : []))
  expect(readPolicy('/x', { kind: 'bytes', bytes: Buffer.from(added.join('\n')) }).problem).toBeUndefined()
})
