import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { denialOf, type ToolError, toolError } from '../core/denials.js'

/** Returns the denial record for the model; undefined for any other error. */
export function denialRecord(tool: string, error: unknown): ToolError | undefined {
  const denial = denialOf(error)
  if (denial !== undefined) return toolError({ ...denial, tool })
  if (!(error instanceof EscrowError)) return undefined
  const { reason, message, hint } = error
  return { type: 'tool_error', tool, reason, message, ...defined({ hint }) }
}
