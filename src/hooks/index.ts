/**
 * Hooks: the engine that runs a host's tool calls through a session.
 *
 * In: a tool's name and arguments in the host's form, and the host's function to ask its person. Out: whether to run the tool, or the
 * denial for the model. `catalogue.ts` lists the paths that each known tool reads and writes; an unknown tool may do anything.
 * Must not happen here: a policy rule (`policy/`), or code for a single host (`agents/`).
 */
export { ADDED_TOOLS, type AddedTool, type AddedToolName, isAddedTool } from './added-tools.js'
export {
  classifyTool,
  KNOWN_TOOLS,
  type ToolArguments,
  type ToolCatalogue,
  type ToolClass,
  type ToolClassification,
  type ToolEntry,
  toolCatalogue,
} from './catalogue.js'
export { HookEngine, type HookEngineOptions } from './engine.js'
export {
  approverOf,
  type Human,
  type HumanAnswer,
  type HumanQuestion,
  type MessageWindow,
  modalHuman,
} from './human.js'
export { mutationHash } from './mutation-hash.js'
export { type PatchChunk, type PatchLine, type PatchOperation, parsePatch } from './patch-parser.js'
export { type PersonalRun, personGate } from './person-gate.js'
export { type PreExecutionInput, type PreExecutionResult, preExecutionHook } from './pre-execution.js'
export { INTENT_PROTOCOL, intentPrompt } from './prompt.js'
export { feedbackOf, type RunOptions, runTool, type ToolOutcome, type ToolUse } from './run-tool.js'
export {
  ActiveIntentSyncHook,
  AddedToolsHook,
  ContextLoadingHook,
  HumanInTheLoopHook,
  hashMutation,
  IntentGateHook,
  MutationHashHook,
  OptimisticLockHook,
  requireActiveIntent,
  ScopeEnforcementHook,
  standardHooks,
  syncActiveIntent,
  TraceLedgerHook,
} from './standard-hooks.js'
export { ToolFailure } from './tool-failure.js'
export { type AnthropicTool, anthropicTools, type OpenAiTool, openAiTools } from './tool-schemas.js'
export { buildJsonToolError, enforceToolSecurityPreHook } from './tool-security.js'
export { TurnState, TurnStateMachine } from './turn-state.js'
export type { HookContext, HookError, HookInput, HookPayload, HookResult, HookRun, ToolHook } from './types.js'
export { formatToolError, type HookStyle, outcomeText, withFeedback } from './wording.js'
