import type { Command } from 'commander'
import type { Context } from './context.js'

/** A file of `commands/`: gives a command its arguments, options and action. */
export interface CommandModule {
  register(command: Command, context: Context): void
}

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  /** Only the command that runs is loaded. */
  load(): Promise<CommandModule>
}

/** All commands, in the order of `--help`. A new one is a file in `commands/` and a row here. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: 'init', summary: 'make a directory a workspace', load: () => import('./commands/init.js') },
  { name: 'intents', summary: 'list, declare and change intents', load: () => import('./commands/intents.js') },
  { name: 'status', summary: 'list intents and sessions', load: () => import('./commands/status.js') },
  { name: 'run', summary: 'run an agent, all it does staged', load: () => import('./commands/run.js') },
  { name: 'mcp', summary: 'serve the workspace to an MCP client', load: () => import('./commands/mcp.js') },
  { name: 'hook', summary: "answer a client's hook", load: () => import('./commands/hook.js') },
  { name: 'review', summary: 'review in the terminal, hunk by hunk', load: () => import('./commands/review.js') },
  { name: 'serve', summary: 'serve the review page to a browser', load: () => import('./commands/serve.js') },
  { name: 'diff', summary: 'show what a session has staged', load: () => import('./commands/diff.js') },
  { name: 'approve', summary: 'approve staged changes', load: () => import('./commands/approve.js') },
  { name: 'reject', summary: 'reject staged changes and say why', load: () => import('./commands/reject.js') },
  { name: 'discard', summary: 'take staged changes out of a session', load: () => import('./commands/discard.js') },
  {
    name: 'quarantine',
    summary: 'list, stage or drop what commands did and was refused',
    load: () => import('./commands/quarantine.js'),
  },
  { name: 'commit', summary: 'put what is approved on disk', load: () => import('./commands/commit.js') },
  { name: 'snapshots', summary: "list a session's snapshots", load: () => import('./commands/snapshots.js') },
  { name: 'undo', summary: 'stage the inverse of a commit', load: () => import('./commands/undo.js') },
  { name: 'recover', summary: 'finish or roll back what a crash left', load: () => import('./commands/recover.js') },
  { name: 'questions', summary: 'list what sessions ask', load: () => import('./commands/questions.js') },
  { name: 'answer', summary: 'answer a question of a session', load: () => import('./commands/answer.js') },
  { name: 'blame', summary: 'show who wrote each line of a file', load: () => import('./commands/blame.js') },
  { name: 'log', summary: 'show the ledger', load: () => import('./commands/log.js') },
  { name: 'map', summary: 'write the map of intents and what they changed', load: () => import('./commands/map.js') },
  {
    name: 'verify',
    summary: 'check the ledger for changes, cuts and forks',
    load: () => import('./commands/verify.js'),
  },
  {
    name: 'trailer',
    summary: "print the ledger's head for a git commit message",
    load: () => import('./commands/trailer.js'),
  },
  { name: 'stats', summary: 'show what the ledger adds up to', load: () => import('./commands/stats.js') },
  { name: 'export', summary: 'print the ledger for other tools', load: () => import('./commands/export.js') },
  { name: 'keys', summary: 'make a key that signs checkpoints', load: () => import('./commands/keys.js') },
  { name: 'doctor', summary: 'try what containing commands needs', load: () => import('./commands/doctor.js') },
]
