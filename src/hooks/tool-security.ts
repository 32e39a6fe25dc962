import type { ToolError } from '../core/denials.js'
import type { HookEngine } from './engine.js'
import type { HookInput } from './types.js'

/** A refusal as the JSON text a model reads. */
export function buildJsonToolError(
  tool: string,
  reason: string,
  message: string,
  more: Pick<ToolError, 'intent_id' | 'file' | 'hint'> = {},
): string {
  return JSON.stringify({ type: 'tool_error', tool, reason, ...more, message })
}

/**
 * The pre-hook of a base class of tools: what is refused it tells the model by `pushToolResult`, as a JSON `tool_error`.
 * @returns whether the tool may run. False, too, where a hook has answered in its place.
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
