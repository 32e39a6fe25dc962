import { mkdirSync, symlinkSync } from 'node:fs'
import { type TestWorkspace, testWorkspace } from '../support/workspace.js'

/** A call that an agent tries under an intent. */
export interface Attempt {
  readonly intent: string | null
  readonly tool: 'write_to_file' | 'apply_patch' | 'select_active_intent'
  readonly path: string
}

// A high limit: the breaker is about a conversation, not about single calls.
const POLICY = `gate: {breaker: 1000}
access: {src/secret.ts: deny, src/fixed.ts: read-only, src/hid.ts: hidden, src/ask.ts: ask, src/shut: deny}
protected: [src/kept.ts]
`
const FILES = Object.fromEntries(
  `src/a.ts src/b.ts src/sub/c.ts src/secret.ts src/fixed.ts src/hid.ts src/ask.ts src/kept.ts src/shut/x.ts mail/m.ts docs/prices.md
  docs/other.md README.md CLAUDE.md package.json run.log .vscode/settings.json .github/workflows/ci.yml .roo/rules/r.md`
    .split(/\s+/)
    .map((path) => [path, `${path}\n`]),
)
const REST =
  `src/new.ts ./src/b.ts src/sub/../a.ts src//a.ts src/../mail/m.ts src/sub/new.ts mail/new.ts .git/config .git/hooks/pre-commit
  .GIT/config .orchestration/policy.yaml .orchestration/active_intents.yaml .orchestration/agent_trace.jsonl .intentignore
  ../outside.txt /etc/escrow-test src/out.txt src/inner.ts src/loop src/away/x.txt new.log`.split(/\s+/)
const PATHS = [...Object.keys(FILES), ...REST]

/** All attempts, for every route. */
export const ATTEMPTS: Attempt[] = [
  ...PATHS.map((path) => ({ intent: 'INT-001', tool: 'write_to_file', path }) as const),
  ...PATHS.filter((_, index) => index % 5 === 0).map(
    (path) => ({ intent: null, tool: 'write_to_file', path }) as const,
  ),
  ...Object.keys(FILES)
    .filter((_, index) => index % 2 === 0)
    .map((path) => ({ intent: 'INT-001', tool: 'apply_patch', path }) as const),
  ...['mail/m.ts', 'src/a.ts'].map((path) => ({ intent: 'INT-002', tool: 'apply_patch', path }) as const),
  ...['INT-001', 'INT-003', 'INT-404'].map((path) => ({ intent: null, tool: 'select_active_intent', path }) as const),
]

/** The workspace of the attempts. */
export function attemptsWorkspace(): TestWorkspace {
  const project = testWorkspace(FILES)
  project.write('.orchestration/policy.yaml', POLICY)
  project.write('.intentignore', '*.log\n')
  mkdirSync(`${project.root}/.git/hooks`, { recursive: true })
  for (const [name, to] of [
    ['out.txt', '../../outside.txt'],
    ['inner.ts', '../mail/m.ts'],
    ['loop', 'loop'],
    ['away', '/tmp'],
  ] as const)
    symlinkSync(to, `${project.root}/src/${name}`)
  return project
}
