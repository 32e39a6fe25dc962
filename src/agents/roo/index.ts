/** Roo Code's tools on an escrowfs session. */
export type { RooToolResult } from './result.js'
export { createRooTools, type RooToolCall, type RooToolName, type RooTools, type RooToolsOptions } from './tools.js'
