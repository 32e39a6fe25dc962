import { z } from 'zod'

const base = { session_id: z.string().min(1), cwd: z.string().min(1), transcript_path: z.string().optional() }
const tool = {
  ...base,
  tool_name: z.string().min(1),
  tool_input: z.record(z.string(), z.unknown()),
  tool_use_id: z.string().optional(),
}

/** The parts of Claude Code's events that are used. Other fields are dropped. */
const claudeEvent = z.discriminatedUnion('hook_event_name', [
  z.object({ ...tool, hook_event_name: z.literal('PreToolUse') }),
  z.object({ ...tool, hook_event_name: z.literal('PermissionRequest') }),
  z.object({ ...tool, hook_event_name: z.literal('PostToolUse') }),
  z.object({ ...base, hook_event_name: z.literal('SessionStart') }),
  z.object({ ...base, hook_event_name: z.literal('UserPromptSubmit') }),
  z.object({ ...base, hook_event_name: z.literal('Stop'), stop_hook_active: z.boolean().optional() }),
  z.object({ ...base, hook_event_name: z.literal('WorktreeCreate'), name: z.string().optional() }),
])

export type ClaudeEvent = z.infer<typeof claudeEvent>
export type ClaudeEventName = ClaudeEvent['hook_event_name']
export type ClaudeToolEvent = Extract<ClaudeEvent, { tool_name: string }>

const eventName = z.looseObject({ hook_event_name: z.string().min(1) })

/** Parses an event; undefined for an unknown one, which is not answered. */
export function parseEvent(value: unknown): ClaudeEvent | undefined {
  const name = eventName.parse(value).hook_event_name
  const known = claudeEvent.options.some((each) => each.shape.hook_event_name.value === name)
  if (!known) return undefined
  return claudeEvent.parse(value)
}
