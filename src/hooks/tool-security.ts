import type { ToolError } from '../core/denials.js'
import type { HookEngine } from './engine.js'
import type { HookInput } from './types.js'

/** Returns a denial as JSON text for a model. */
export function buildJsonToolError(
  tool: string,
  reason: string,
  message: string,
  more: Pick<ToolError, 'intent_id' | 'file' | 'hint'> = {},
): string {
  return JSON.stringify({ type: 'tool_error', tool, reason, ...more, message })
}

/**
 * Runs the pre-hooks, for a base class of tools. Passes a denial to `pushToolResult` as a JSON `tool_error`.
 * @returns whether to run the tool; also false if a hook has given the result
 */
export async function enforceToolSecurityPreHook(
  engine: HookEngine,
  input: HookInput,
  pushToolResult: (content: string) => void,
): Promise<boolean> {
  const { allow, error, message = '', toolResult, feedback } = await engine.runPreHook(input, 'record')
  if (allow && toolResult === undefined) return true
  if (allow) pushToolResult(toolResult ?? '')
  else if (error) pushToolResult(JSON.stringify({ ...error, ...(feedback.length > 0 && { feedback }) }))
  else pushToolResult(buildJsonToolError(input.toolName, 'failed', message))
  return false
}
