import { z } from 'zod'
import { defined } from '../../core/defined.js'
import type { ToolInput } from './readers.js'
import type { HostCall } from './ruling.js'
import { modelInTranscript } from './transcript.js'
import type { HookEvent } from './verdict.js'

/** An event in the form that several clients share: its name, and for a tool event the tool's name and input. */
export const namedEvent = z.object({
  hook_event_name: z.string().min(1),
  session_id: z.string().min(1),
  cwd: z.string().min(1),
  tool_name: z.string().min(1).optional(),
  tool_input: z.unknown().optional(),
  stop_hook_active: z.boolean().optional(),
  /** Codex sends it with each event. */
  model: z.string().min(1).optional(),
  transcript_path: z.string().nullish(),
})

const inputs = z.record(z.string(), z.unknown())

/**
 * Converts an event to the form that is independent of clients.
 * @param agent the agent's name in the ledger
 * @param kinds the kind of each event name; other names are ignored
 * @param callOf describes a call by the client's tools
 */
export function toHookEvent(
  event: z.infer<typeof namedEvent>,
  agent: string,
  kinds: Readonly<Record<string, HookEvent['kind']>>,
  callOf: (call: { readonly tool: string; readonly input: ToolInput; readonly cwd: string }) => HostCall,
): HookEvent {
  const { hook_event_name: name, session_id: session, cwd, tool_name: tool } = event
  const kind = Object.hasOwn(kinds, name) ? (kinds[name] ?? 'other') : 'other'
  const model = kind === 'tool' ? (event.model ?? modelInTranscript(event.transcript_path ?? undefined)) : event.model
  const hookEvent = {
    kind,
    agent,
    session,
    cwd,
    isContinued: event.stop_hook_active === true,
    ...defined({ model }),
  }
  if (kind !== 'tool' || tool === undefined) return hookEvent
  const input = inputs.safeParse(event.tool_input).data ?? {}
  return { ...hookEvent, call: callOf({ tool, input, cwd }) }
}
