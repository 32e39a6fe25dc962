import { z } from 'zod'
import { type HookDeps, hookDeps } from '../hook/deps.js'
import { readEvent } from '../hook/read-event.js'
import { type HookEvent, verdictOn } from '../hook/verdict.js'
import { opencodeCall } from './tools.js'

/** The answer for the plugin of `escrow init --opencode`, which runs a tool only with `go: true`. */
export type OpencodeAnswer =
  | { readonly go: true; readonly tell?: string }
  | { readonly go: false; readonly refuse: string }

/** If it rejects, the plugin refuses the tool. */
export async function answerOpencode(text: string, more: Partial<HookDeps> = {}): Promise<OpencodeAnswer> {
  const event = readEvent('opencode', text, (value) => opencodeEvent.parse(value))
  const verdict = await verdictOn(toHookEvent(event), hookDeps(more))
  switch (verdict.kind) {
    case 'pass':
      return { go: true }
    case 'refuse':
      return { go: false, refuse: verdict.why }
    case 'context':
    case 'continue':
      return { go: true, tell: verdict.words }
  }
}

const shared = { directory: z.string().min(1), sessionID: z.string().min(1).default('opencode') }
const opencodeEvent = z.discriminatedUnion('event', [
  z.object({
    ...shared,
    event: z.literal('tool.execute.before'),
    tool: z.string().min(1),
    callID: z.string().optional(),
    args: z.record(z.string(), z.unknown()),
  }),
  z.object({ ...shared, event: z.literal('tool.execute.after') }),
  z.object({ ...shared, event: z.literal('system') }),
])

function toHookEvent(parsed: z.infer<typeof opencodeEvent>): HookEvent {
  const { directory: cwd, sessionID: session } = parsed
  const event = { agent: 'opencode', session, cwd }
  if (parsed.event !== 'tool.execute.before') return { ...event, kind: parsed.event === 'system' ? 'begins' : 'after' }
  const { tool, args: input, callID: id } = parsed
  return { ...event, kind: 'tool', call: opencodeCall({ tool, input, cwd, id }) }
}
