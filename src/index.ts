/** The public API of escrowfs. */
export { type ApiReason, EscrowError, type Refusal } from './core/api-error.js'
export type * from './core/api.js'
export { type Denial, type DenialError, type DenialReason, denialOf, type ToolError, toolError } from './core/denials.js'
