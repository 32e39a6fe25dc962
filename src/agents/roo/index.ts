/** Roo Code's tools on an escrowfs session, and the integration of a running Roo. */
export { STAGED_SCHEME, type StagedReview, stagedReview, type UriLike, type VscodeLike } from '../vscode/index.js'
export { type Alias, type AliasOptions, aliasModules } from './alias.js'
export type { ParentOf, TaskOrigin } from './conversations.js'
export type { RooCustomTool, RooToolContext } from './custom-tools.js'
export { StagedDiffView, type StagedDiffViewOptions } from './diff-view.js'
export {
  type EnteredRoo,
  type EnterRooOptions,
  enterRoo,
  type HostCallInput,
  type RooProvider,
} from './enter-roo.js'
export { type CurrentTask, type GovernedRoo, type GovernRooOptions, governRoo, type Undo } from './govern-roo.js'
export { IntentGate, type IntentGateOptions, type KeptNames } from './intent-gate.js'
export type {
  LiveAnswer,
  LiveDiffView,
  LiveMcpHub,
  LiveMcpResult,
  LiveMessage,
  LiveProvider,
  LiveRepetition,
  LiveRepetitionDetector,
  LiveSaved,
  LiveSettings,
  LiveTask,
  LiveToolResult,
  LiveToolUse,
  LiveWebview,
} from './live.js'
export type { LiveLimits } from './live-limits.js'
export type { RooToolResult } from './result.js'
export { type RooShell, type RooShellOptions, rooShell } from './shell.js'
export { createRooTools, type RooToolCall, type RooToolName, type RooTools, type RooToolsOptions } from './tools.js'
