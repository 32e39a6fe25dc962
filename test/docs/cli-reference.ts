import type { Command } from 'commander'
import { COMMANDS } from '../../src/cli/commands.js'

/** The documents that `--json` prints, by command. The types are those of the package. */
export const DOCUMENTS: Readonly<Record<string, string>> = {
  init: '`{ created: string[], kept: string[], settings: { path, change }[] }`; `change` is created, changed or removed. With `--git` also `manual: { hook, problem, line }[]`: hooks to enter by hand',
  'intents list': '`{ intents: Intent[] }`',
  'intents show': '`{ intent: Intent, versions: IntentVersion[] }`',
  'intents templates': '`{ templates }`: name and lists of each',
  'intents add': '`{ intent: Intent }`',
  'intents edit': '`{ intent: Intent }`',
  'intents status': '`{ intent: Intent }`',
  'intents scope': '`{ intent: Intent, requests }`: each request as `Review.questions()` gives it, with its session',
  status:
    '`{ root, intents: Intent[], sessions: SessionSummary[], questions: number, waiting: boolean, problem?: string, landed? }`; `landed`: what a hub landed and this disk lacks; `waiting`: something waits for `escrow trust`',
  sessions: '`SessionSummary[]`',
  exec: '`{ session } & ExecResult`',
  diff: '`ChangeSet`',
  approve: '`{ session, verdict: Verdict, left: string[] }`; `left`: staged paths it is not on',
  reject: '`{ session, verdict: Verdict }`',
  discard: '`{ session, left: number }`; `left`: changes still staged',
  quarantine: '`{ session, quarantined }`; after `--take` or `--drop` what was taken, dropped and refused',
  backtest:
    '`{ read, calls, rules, classes, network, prompts, review, secrets, outside, deletions, tools, sessions }`, see [backtest](backtest.md#the-json-document); with `--propose` `{ learned, diffs, before, after }`',
  'policy test':
    '`{ decisions: ReleaseDecision[] }`; for cases `{ cases: number, changed }`, each change with `file`, `number`, `call`, `expected` and `actual`',
  release: '`ReleaseReport`; if it was stopped, the exit code is 1',
  check: '`{ selection, tree, checks }`, see `CheckReport`; with `--status` also `checklist: ChecklistItem[]`',
  tick: '`{ session, checklist: ChecklistItem[] }`',
  commit: '`CommitResult`; with conflicts the exit code is 1',
  snapshots: '`{ session, snapshots: Snapshot[] }`',
  travel: '`{ session, snapshot, left: Snapshot, kept: string[], staged: number }`',
  undo: '`{ commits: string[], session?, changes: { path, drifted: boolean }[] }`; no `session` with `--dry-run`',
  recover: '`Recovery`',
  questions: "`{ session, questions }[]`, as `Review.questions()` gives a session's",
  answer: '`{ session, question, answer }`',
  use: '`{ intent: Intent | null }`: the one that is selected now',
  why: '`{ path, write: Explanation, read: Explanation, intent?: Intent, owners: string[], staged, quarantined, refused, remedies }`',
  trust: '`TrustReport & { accepted: boolean }`; `accepted`: by this call',
  migrate: '`{ names: string[], sessions: string[], isOurs: boolean, migrated: string[] }`',
  blame: '`BlameLine[]`',
  log: '`TraceRecord[]`, oldest first: lines of the ledger ([trace-schema.md](trace-schema.md))',
  verify: '`VerifyResult`; with `--attestation` `{ ok, problems, signedBy, unconfirmed, files?, ledger?, predicate? }`',
  'ledger publish': '`{ origin, size, root, key, added }`',
  'ledger witness': '`{ origin, size, before?, key }`',
  'ledger verify-proof': '`{ ok, kind, problems: string[], origin, size, witnesses: string[], line?, text?, from? }`',
  ci: '`{ problems: string[], notes: string[], records, signed, files }`; each file with `path`, `lines`, `agent`, `unapproved: number[]`, `models`, `intents`, `approvers`',
  trailer: '`LedgerHead`',
  adopt: '`AdoptReport`; if commits are left out, the exit code is 1',
  'notes export': '`AdoptReport`',
  'notes import': '`ImportReport`',
  stats: '`LedgerStats`',
  keys: '`{ file, created, fingerprint, publicKey }`',
  doctor:
    'each capability with `name`, `ok` and, where it is missing, why; `containments`: the providers tried, with `works`, what each keeps and why it failed; `probe`, with `--probe`: the `attempts` to get out, each with its `outcome` and whether the protection `isPromised`, and `held`; `fix`, with `--fix`: the `repairs`, each with its `commands`, what it `opens`, and whether it was `done`, and the `notes`; the clients found; `brought`, the settings that clients would take from the directory; `shadow`, an `escrow` of a workspace that a shell would start; `hooks: { present, missing }`, those of git',
}

const HEAD = `# The command line

Look up each command, its options and an example. This page is generated from the commands: \`npx vitest run test/docs/cli.test.ts -u\` updates it.

- \`-C DIR\` uses another directory, and \`--no-pager\` prints long output without a pager; put both before the command.
- On a terminal, long output goes through \`PAGER\` (default: \`less\` with \`LESS=FRX\`).
- Output has colours on a terminal. \`NO_COLOR\` turns them off, \`FORCE_COLOR\` on.
- Results go to stdout, messages to stderr.
- \`eval "$(escrow completion bash)"\` completes commands, options and sessions; zsh and fish work the same way. In PowerShell use
  \`escrow completion powershell | Out-String | Invoke-Expression\`; we have not tested that script.

## Exit codes

| code | meaning |
| ---- | ------- |
| 0 | done |
| 1 | refused or failed; the message says why, and what to do next |
| 2 | wrong usage |
| 3 | \`verify\` found a damaged ledger |
| 4 | not a workspace |

\`run\`, \`exec\` and \`escrow-sh\` exit with the code of their program, also if a change was refused: stderr names each one, with the reason. If a signal ends
\`run\` or \`exec\` itself, the code is 128 plus the signal's number, as in a shell (143 for SIGTERM).
\`hook\` exits with the code that its client expects.
`

/** Generates the reference of all commands. */
export function reference(program: Command): string {
  const examples = new Map(COMMANDS.map(({ name, example }) => [name, example]))
  const commands = program.commands.flatMap((command) => [
    section(command, command.name(), 2, examples.get(command.name())),
    ...command.commands.map((each) => section(each, `${command.name()} ${each.name()}`, 3)),
  ])
  const rows = Object.entries(DOCUMENTS).map(([name, what]) => `| ${name} | ${what} |\n`)
  const json = `## Documents\n\nWith \`--json\` a command prints one JSON document and asks nothing. Refusals are on stderr, as without it. The package exports the types.\n\n| command | document |\n| ------- | -------- |\n${rows.join('')}`
  return [HEAD, ...commands, json].join('\n')
}

/** Each command with \`--json\`, as it is typed. */
export function withJson(program: Command): string[] {
  const all = program.commands.flatMap((command) => [
    { name: command.name(), command },
    ...command.commands.map((each) => ({ name: `${command.name()} ${each.name()}`, command: each })),
  ])
  return all.filter(({ command }) => command.options.some(({ long }) => long === '--json')).map(({ name }) => name)
}

function section(command: Command, name: string, level: number, example?: string): string {
  const usages = [...command.registeredArguments.map((each) => [usageOf(each), each.description] as const)]
  const options = command.options.map(({ flags, description }) => [flags, description] as const)
  const rows = [...usages, ...options].map(([what, about]) => `| ${code(what)} | ${cell(about)} |\n`)
  return [
    `${'#'.repeat(level)} escrow ${name}\n`,
    `${command.description()}\n`,
    ...(rows.length === 0 ? [] : [`|     |     |\n| --- | --- |\n${rows.join('')}`]),
    ...(example === undefined ? [] : [`\`\`\`sh\n${example}\n\`\`\`\n`]),
  ].join('\n')
}

function usageOf(argument: Command['registeredArguments'][number]): string {
  const word = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${word}>` : `[${word}]`
}

function code(text: string): string {
  return `\`${cell(text)}\``
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ')
}
