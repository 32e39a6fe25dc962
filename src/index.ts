/**
 * The public API of escrowfs: open a workspace, run agents in its sessions, review and commit what they staged.
 *
 * Start at `openWorkspace`. Everything else is for a kind of embedder: `openJudge` for hooks that ask before a tool runs, `hostFs` and
 * `hostPrograms` for a program that hosts an agent, `serveShell` for terminals, `admitReviewer` and `groupChanges` for a review
 * surface. Failed calls reject with {@link EscrowError}, failed `fs` calls throw a {@link DenialError}.
 */

export { admitReviewer, type InitOptions, initWorkspace, isInMount, rootOf } from './access/index.js'
export type * from './core/api.js'
export { type ApiReason, EscrowError, type Refusal } from './core/api-error.js'
export {
  type Denial,
  type DenialError,
  type DenialReason,
  denialOf,
  type ToolError,
  toolError,
} from './core/denials.js'
export type { ShellServer } from './core/shell-api.js'
export {
  type CommandOutputs,
  commandOutputs,
  type HostFsOptions,
  type HostProgramsOptions,
  hostFs,
  hostPrograms,
  type ServeShellOptions,
  serveShell,
} from './embed/index.js'
export type { HomeHost } from './hosts/index.js'
export { type CallJudge, type JudgedCall, type JudgeOptions, openJudge, openJudges } from './judge/index.js'
export { type FoundProgram, findProgram } from './os/search-path.js'
export { groupChanges } from './review/index.js'
export { type Capability, probeNow as checkContainment } from './terminal/index.js'
export { openWorkspace } from './workspace/index.js'
