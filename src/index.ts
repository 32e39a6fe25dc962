/** The public API of escrowfs. */

export { admitAgent, admitReviewer, admitTruster, makeReviewerKey, makeSigningKey } from './access/admit-reviewer.js'
export { hookToken } from './access/hook-token.js'
export { type InitOptions, initWorkspace } from './access/init.js'
export { findOldState, migrateOldState, type OldState } from './access/migrate.js'
export { isInMount, rootOf } from './access/whereabouts.js'
export { type BroughtSetting, broughtSettings } from './clients/brought.js'
export { applyClients, type ClientOptions, type FoundClient, findClients, planClients } from './clients/config.js'
export type { ClientFile } from './clients/files.js'
export { CLIENTS, type ClientName } from './clients/plans.js'
export { probeEntry } from './clients/probe.js'
export type * from './core/api.js'
export { type ApiReason, EscrowError, type Refusal } from './core/api-error.js'
export { clientOfProgram, HOME_CLIENTS, type HomeClient } from './core/client-homes.js'
export {
  type Denial,
  type DenialError,
  type DenialReason,
  denialOf,
  type ToolError,
  toolError,
} from './core/denials.js'
export { authorOf } from './core/line-author.js'
export { nearest } from './core/nearest.js'
export { oneLine, printable, type ShownPart, shownParts } from './core/printable.js'
export type { ShellServer } from './core/shell-api.js'
export { type CommandOutputs, commandOutputs } from './embed/command-outputs.js'
export { type HostFsOptions, hostFs } from './embed/host-fs.js'
export { type HostProgramsOptions, hostPrograms } from './embed/host-programs.js'
export { type ServeShellOptions, serveShell } from './embed/serve-shell.js'
export { openBrowser } from './host/browser.js'
export { editText } from './host/editor.js'
export {
  bearerOf,
  foreignTo,
  isSameSecret,
  type LoopbackServer,
  listenOnLoopback,
  newToken,
  PATIENCE,
  type Patience,
} from './host/loopback.js'
export { showPaged } from './host/pager.js'
export { type FoundProgram, findProgram } from './host/search-path.js'
export { doorOf, type SessionState, stateOfSession } from './inbox/owner-socket.js'
export { type CallJudge, type JudgedCall, type JudgeOptions, openJudge, openJudges } from './judge/judge.js'
export { attentionTitle, groupChanges } from './review/groups.js'
export { type Highlighter, loadHighlighter, type Token } from './review/highlight.js'
export { type TextSpan, wordDiff } from './review/word-diff.js'
export { flagReasons } from './stage/flag-reasons.js'
export { type Capability, probeNow as checkContainment, refusalsIn } from './terminal/index.js'
export {
  type BlamedFile,
  intentOf,
  pathsOf,
  readBlamed,
  type ToldRecord,
  toldOf,
} from './trace/index.js'
export { openWorkspace } from './workspace/workspace.js'
