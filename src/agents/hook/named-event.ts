import { z } from 'zod'
import { defined } from '../../core/defined.js'
import type { ToolInput } from './readers.js'
import type { HostCall } from './ruling.js'
import { modelInTranscript } from './transcript.js'
import type { HookEvent } from './verdict.js'

/** An event in the form that several clients share: by its name, with a tool's name and input where it is about one. */
export const namedEvent = z.object({
  hook_event_name: z.string().min(1),
  session_id: z.string().min(1),
  cwd: z.string().min(1),
  tool_name: z.string().min(1).optional(),
  tool_input: z.unknown().optional(),
  stop_hook_active: z.boolean().optional(),
  /** Codex says it with each event. */
  model: z.string().min(1).optional(),
  transcript_path: z.string().nullish(),
})

const inputs = z.record(z.string(), z.unknown())

/**
 * The event in no client's dialect.
 * @param agent who asks, for the ledger
 * @param kinds what a client's names mean; one that is not among them is none of ours
 * @param callOf reads a call by the client's own tools
 */
export function hookEventOf(
  told: z.infer<typeof namedEvent>,
  agent: string,
  kinds: Readonly<Record<string, HookEvent['kind']>>,
  callOf: (call: { readonly tool: string; readonly input: ToolInput; readonly cwd: string }) => HostCall,
): HookEvent {
  const { hook_event_name: name, session_id: session, cwd, tool_name: tool } = told
  const kind = Object.hasOwn(kinds, name) ? (kinds[name] ?? 'other') : 'other'
  const model = kind === 'tool' ? (told.model ?? modelInTranscript(told.transcript_path ?? undefined)) : told.model
  const about = {
    kind,
    agent,
    session,
    cwd,
    isAgain: told.stop_hook_active === true,
    ...defined({ model }),
  }
  if (kind !== 'tool' || tool === undefined) return about
  const input = inputs.safeParse(told.tool_input).data ?? {}
  return { ...about, call: callOf({ tool, input, cwd }) }
}
