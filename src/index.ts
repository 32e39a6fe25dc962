/** The public API of escrowfs. */

export { admitAgent, admitReviewer, admitTruster, makeReviewerKey, makeSigningKey } from './admit-reviewer.js'
export { type BroughtSetting, broughtSettings } from './client-brought.js'
export { applyClients, type ClientOptions, type FoundClient, findClients, planClients } from './client-config.js'
export type { ClientFile } from './client-files.js'
export { CLIENTS, type ClientName } from './client-plans.js'
export { probeEntry } from './client-probe.js'
export { type CommandOutputs, commandOutputs } from './command-outputs.js'
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
export { flagReasons } from './flag-reasons.js'
export { hookToken } from './hook-token.js'
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
export { type HostFsOptions, hostFs } from './host-fs.js'
export { type HostProgramsOptions, hostPrograms } from './host-programs.js'
export { type InitOptions, initWorkspace } from './init.js'
export { type CallJudge, type JudgedCall, type JudgeOptions, openJudge, openJudges } from './judge.js'
export { findOldState, migrateOldState, type OldState } from './migrate.js'
export { attentionTitle, groupChanges } from './review/groups.js'
export { type Highlighter, loadHighlighter, type Token } from './review/highlight.js'
export { type TextSpan, wordDiff } from './review/word-diff.js'
export { type ServeShellOptions, serveShell } from './serve-shell.js'
export { doorOf, type SessionState, stateOfSession } from './session-door.js'
export { type Capability, probeNow as checkContainment, refusalsIn } from './terminal/index.js'
export {
  type BlamedFile,
  intentOf,
  pathsOf,
  readBlamed,
  type ToldRecord,
  toldOf,
} from './trace/index.js'
export { isInMount, rootOf } from './whereabouts.js'
export { openWorkspace } from './workspace.js'
