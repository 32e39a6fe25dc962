// Long because: every command has its row here.
import type { Command } from 'commander'
import { HOME_HOSTS, homeProfileOf } from '../hosts/index.js'
import type { Context } from './context.js'

/** A module of `commands/`. It defines the arguments, options and action of a command. */
export interface CommandModule {
  register(command: Command, context: Context): void
  /** For a command that runs a program: inserts `--` before the program's own arguments. */
  separateProgram?(argv: readonly string[], command: Command): string[]
}

export interface CommandEntry {
  readonly name: string
  /** Its heading in `--help`. */
  readonly group: string
  readonly summary: string
  /** An example command line, the last line of the command's help. */
  readonly example: string
  /** Loads the module. Only the command that runs is loaded. */
  load(): Promise<CommandModule>
}

/** All commands, in the order of `--help`. A new one is a file in `commands/` and a row here. */
export const COMMANDS: readonly CommandEntry[] = [
  ...HOME_HOSTS.map((name) => {
    const { title, example } = homeProfileOf(name)
    const summary = `run ${title} in escrow, then review what it did`
    return { name, group: 'Begin', summary, example, load: () => import('./commands/start.js') }
  }),
  {
    name: 'start',
    group: 'Begin',
    summary: 'run any agent in escrow, then review what it did',
    example: "escrow start --task 'Show prices with tax' -- sh agent.sh",
    load: () => import('./commands/start.js'),
  },
  {
    name: 'init',
    group: 'Begin',
    summary: 'make this directory a workspace',
    example: 'escrow init --claude',
    load: () => import('./commands/init.js'),
  },
  {
    name: 'intents',
    group: 'Begin',
    summary: 'list, declare and change intents',
    example: "escrow intents add 'Show prices with tax' --scope 'src/billing/**'",
    load: () => import('./commands/intents.js'),
  },
  {
    name: 'use',
    group: 'Begin',
    summary: 'select the intent that agents work for',
    example: 'escrow use INT-001',
    load: () => import('./commands/use.js'),
  },
  {
    name: 'status',
    group: 'Begin',
    summary: 'list intents and sessions',
    example: 'escrow status --json',
    load: () => import('./commands/status.js'),
  },
  {
    name: 'sessions',
    group: 'Begin',
    summary: 'list sessions',
    example: 'escrow sessions --json',
    load: () => import('./commands/sessions.js'),
  },
  {
    name: 'doctor',
    group: 'Begin',
    summary: 'check that this machine can contain commands',
    example: 'escrow doctor',
    load: () => import('./commands/doctor.js'),
  },
  {
    name: 'run',
    group: 'Let an agent work',
    summary: 'run an agent and stage everything it does',
    example: 'escrow run --intent INT-001 -- claude',
    load: () => import('./commands/run.js'),
  },
  {
    name: 'exec',
    group: 'Let an agent work',
    summary: 'run one command on the staged files of a session',
    example: 'escrow exec agent-1 -- npm test',
    load: () => import('./commands/exec.js'),
  },
  {
    name: 'mcp',
    group: 'Let an agent work',
    summary: 'serve the workspace to an MCP client',
    example: 'escrow mcp --session agent-1',
    load: () => import('./commands/mcp.js'),
  },
  {
    name: 'acp',
    group: 'Let an agent work',
    summary: "run an editor's ACP agent under escrow",
    example: 'escrow acp --intent INT-001 -- gemini --experimental-acp',
    load: () => import('./commands/acp.js'),
  },
  {
    name: 'hook',
    group: 'Let an agent work',
    summary: "answer a client's hook",
    example: 'escrow hook claude < event.json',
    load: () => import('./commands/hook.js'),
  },
  {
    name: 'review',
    group: 'Review',
    summary: 'review in the terminal, hunk by hunk',
    example: 'escrow review agent-1',
    load: () => import('./commands/review.js'),
  },
  {
    name: 'serve',
    group: 'Review',
    summary: 'serve the review page to a browser',
    example: 'escrow serve --port 4173',
    load: () => import('./commands/serve.js'),
  },
  {
    name: 'diff',
    group: 'Review',
    summary: 'show what a session has staged',
    example: 'escrow diff agent-1 -- src',
    load: () => import('./commands/diff.js'),
  },
  {
    name: 'why',
    group: 'Review',
    summary: 'explain what decides about a path, and how to allow it',
    example: 'escrow why src/price.js',
    load: () => import('./commands/why.js'),
  },
  {
    name: 'approve',
    group: 'Review',
    summary: 'approve staged changes',
    example: 'escrow approve agent-1 src/price.js',
    load: () => import('./commands/approve.js'),
  },
  {
    name: 'reject',
    group: 'Review',
    summary: 'reject staged changes and tell the agent why',
    example: "escrow reject agent-1 src/notes.md --reason 'Notes belong in docs.'",
    load: () => import('./commands/reject.js'),
  },
  {
    name: 'discard',
    group: 'Review',
    summary: 'remove staged changes from a session',
    example: 'escrow discard agent-1 src/notes.md',
    load: () => import('./commands/discard.js'),
  },
  {
    name: 'quarantine',
    group: 'Review',
    summary: 'list, stage or drop changes of commands that were refused',
    example: 'escrow quarantine agent-1',
    load: () => import('./commands/quarantine.js'),
  },
  {
    name: 'questions',
    group: 'Review',
    summary: 'list the open questions of agents',
    example: 'escrow questions',
    load: () => import('./commands/questions.js'),
  },
  {
    name: 'answer',
    group: 'Review',
    summary: "answer an agent's question",
    example: 'escrow answer agent-1 q1 allow',
    load: () => import('./commands/answer.js'),
  },
  {
    name: 'trust',
    group: 'Review',
    summary: 'accept changes to policy and intents on this machine',
    example: 'escrow trust',
    load: () => import('./commands/trust.js'),
  },
  {
    name: 'check',
    group: 'Review',
    summary: 'run the acceptance checks on staged changes',
    example: 'escrow check agent-1',
    load: () => import('./commands/check.js'),
  },
  {
    name: 'tick',
    group: 'Review',
    summary: 'tick the acceptance sentences of staged changes',
    example: 'escrow tick agent-1 INT-001 1',
    load: () => import('./commands/tick.js'),
  },
  {
    name: 'backtest',
    group: 'Begin',
    summary: 'show what the rules would have done with past sessions',
    example: 'escrow backtest --html report.html',
    load: () => import('./commands/backtest.js'),
  },
  {
    name: 'policy',
    group: 'Review',
    summary: 'try the rules for releases on changes',
    example: 'escrow policy test --git HEAD',
    load: () => import('./commands/policy.js'),
  },
  {
    name: 'release',
    group: 'Review',
    summary: 'approve and commit what policy releases by rule',
    example: 'escrow release agent-1',
    load: () => import('./commands/release.js'),
  },
  {
    name: 'commit',
    group: 'Review',
    summary: 'write approved changes to disk',
    example: 'escrow commit agent-1',
    load: () => import('./commands/commit.js'),
  },
  {
    name: 'snapshots',
    group: 'Go back',
    summary: "list a session's snapshots",
    example: 'escrow snapshots agent-1',
    load: () => import('./commands/snapshots.js'),
  },
  {
    name: 'travel',
    group: 'Go back',
    summary: "return a session's stage to a snapshot",
    example: 'escrow travel agent-1 s3',
    load: () => import('./commands/travel.js'),
  },
  {
    name: 'undo',
    group: 'Go back',
    summary: 'stage the inverse of a commit',
    example: 'escrow undo 4',
    load: () => import('./commands/undo.js'),
  },
  {
    name: 'recover',
    group: 'Go back',
    summary: 'finish or roll back commits that a crash interrupted',
    example: 'escrow recover',
    load: () => import('./commands/recover.js'),
  },
  {
    name: 'migrate',
    group: 'Go back',
    summary: 'import staged work from an earlier version',
    example: 'escrow migrate',
    load: () => import('./commands/migrate.js'),
  },
  {
    name: 'blame',
    group: 'Ask the ledger',
    summary: 'show who wrote each line of a file',
    example: 'escrow blame -L 10,20 src/price.js',
    load: () => import('./commands/blame.js'),
  },
  {
    name: 'log',
    group: 'Ask the ledger',
    summary: 'show the ledger',
    example: 'escrow log -n 20 --kind commit,denied --since yesterday',
    load: () => import('./commands/log.js'),
  },
  {
    name: 'map',
    group: 'Ask the ledger',
    summary: 'update the map of intents and what they changed',
    example: 'escrow map',
    load: () => import('./commands/map.js'),
  },
  {
    name: 'stats',
    group: 'Ask the ledger',
    summary: 'show totals from the ledger',
    example: 'escrow stats --days 7',
    load: () => import('./commands/stats.js'),
  },
  {
    name: 'verify',
    group: 'Ask the ledger',
    summary: 'check the ledger for edits, gaps and forks',
    example: 'escrow verify --json',
    load: () => import('./commands/verify.js'),
  },
  {
    name: 'attest',
    group: 'Ask the ledger',
    summary: 'sign a statement about a commit, which anyone can check',
    example: 'escrow attest --key ~/.ssh/id_ed25519 --out commit.intoto.json',
    load: () => import('./commands/attest.js'),
  },
  {
    name: 'ledger',
    group: 'Ask the ledger',
    summary: 'publish the ledger as a transparency log, and prove from it',
    example: 'escrow ledger publish public/ledger',
    load: () => import('./commands/ledger.js'),
  },
  {
    name: 'ci',
    group: 'Ask the ledger',
    summary: 'check a pull request against its ledger',
    example: 'escrow ci --base origin/main --require-trailers',
    load: () => import('./commands/ci.js'),
  },
  {
    name: 'trailer',
    group: 'Ask the ledger',
    summary: "print the ledger's head for a git commit message",
    example: 'git commit -m "Prices" -m "$(escrow trailer)"',
    load: () => import('./commands/trailer.js'),
  },
  {
    name: 'export',
    group: 'Ask the ledger',
    summary: 'print the ledger for other tools',
    example: 'escrow export csv',
    load: () => import('./commands/export.js'),
  },
  {
    name: 'adopt',
    group: 'Ask the ledger',
    summary: 'keep the authors of lines in rewritten git commits',
    example: 'escrow adopt --range main..feature',
    load: () => import('./commands/adopt.js'),
  },
  {
    name: 'notes',
    group: 'Ask the ledger',
    summary: 'exchange git notes about the authors of lines',
    example: 'escrow notes import refs/notes/origin/ai',
    load: () => import('./commands/notes.js'),
  },
  {
    name: 'keys',
    group: 'Ask the ledger',
    summary: 'make a key that signs checkpoints',
    example: 'escrow keys',
    load: () => import('./commands/keys.js'),
  },
  {
    name: 'hub',
    group: 'Share with a team',
    summary: "serve a team's review queue",
    example: 'escrow hub --dir ../hub --port 4180',
    load: () => import('./commands/hub.js'),
  },
  {
    name: 'remote',
    group: 'Share with a team',
    summary: 'connect this workspace with a hub',
    example: 'escrow remote sync --watch',
    load: () => import('./commands/remote.js'),
  },
  {
    name: 'completion',
    group: 'This command',
    summary: 'print the completion script of a shell',
    example: 'eval "$(escrow completion bash)"',
    load: () => import('./commands/completion.js'),
  },
]
