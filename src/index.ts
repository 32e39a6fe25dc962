/** The public API of escrowfs. */

export {
  admitAgent,
  admitReviewer,
  admitTruster,
  findOldState,
  hookToken,
  type InitOptions,
  initWorkspace,
  isInMount,
  makeReviewerKey,
  makeSigningKey,
  migrateOldState,
  type OldState,
  rootOf,
} from './access/index.js'
export type { ClientFile } from './client-settings/index.js'
export {
  applyClients,
  CLIENTS,
  type ClientName,
  type ClientOptions,
  type ForeignSetting,
  type FoundClient,
  findClients,
  foreignSettings,
  planClients,
  probeEntry,
} from './client-settings/index.js'
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
export { oneLine, type PrintablePart, printable, printableParts } from './core/printable.js'
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
export { ownerSocketOf, type SessionState, stateOfSession } from './inbox/index.js'
export { type CallJudge, type JudgedCall, type JudgeOptions, openJudge, openJudges } from './judge/index.js'
export { attentionTitle, groupChanges } from './review/groups.js'
export { type Highlighter, loadHighlighter, type Token } from './review/highlight.js'
export { type TextSpan, wordDiff } from './review/word-diff.js'
export { flagReasons } from './stage/index.js'
export { type Capability, probeNow as checkContainment, refusalsIn } from './terminal/index.js'
export {
  type BlamedFile,
  type HistoryEntry,
  intentOf,
  pathsOf,
  readBlamed,
  toHistoryEntry,
} from './trace/index.js'
export { openWorkspace } from './workspace/index.js'
