/** Roo Code's tools on an escrowfs session, and what brings a live Roo under one. */
export { type Alias, type AliasOptions, aliasModules } from './alias.js'
export type { RooToolResult } from './result.js'
export { createRooTools, type RooToolCall, type RooToolName, type RooTools, type RooToolsOptions } from './tools.js'
