/** Hooks: what stands between a host's tool calls and a session. */
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
export { type PatchChunk, type PatchLine, type PatchOperation, parsePatch } from './patch-parser.js'
export { feedbackOf, type RunOptions, runTool, type ToolOutcome, type ToolUse } from './run-tool.js'
export { ToolFailure } from './tool-failure.js'
