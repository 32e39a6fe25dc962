import type { ClaudeToolEvent } from './event-schema.js'

const TOOL_EVENTS = ['PreToolUse', 'PermissionRequest', 'PostToolUse'] as const

/**
 * An ordinary tool event, read by hand: loading the schemas takes longer than answering it. The result is that of the schema.
 * Undefined for any other event, which the schema decides on.
 */
export function plainToolEvent(value: unknown): ClaudeToolEvent | undefined {
  if (!isMap(value)) return undefined
  const { session_id, cwd, transcript_path, tool_name, tool_input, tool_use_id } = value
  const hook_event_name = TOOL_EVENTS.find((name) => name === value.hook_event_name)
  if (hook_event_name === undefined || !isName(session_id) || !isName(cwd) || !isName(tool_name)) return undefined
  // The schema drops this key.
  if (!isMap(tool_input) || Object.hasOwn(tool_input, '__proto__')) return undefined
  if (!isOptionalText(transcript_path) || !isOptionalText(tool_use_id)) return undefined
  return {
    session_id,
    cwd,
    ...(transcript_path !== undefined && { transcript_path }),
    tool_name,
    tool_input,
    ...(tool_use_id !== undefined && { tool_use_id }),
    hook_event_name,
  }
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}
