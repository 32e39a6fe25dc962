import { z } from 'zod'
import { type HookDeps, hookDeps } from '../hook/deps.js'
import { type HookEvent, verdictOn } from '../hook/verdict.js'
import { opencodeCall } from './tools.js'

/** What the plugin of `escrow init --opencode` is answered: it lets nothing run but by `go`. */
export type OpencodeAnswer =
  | { readonly go: true; readonly tell?: string }
  | { readonly go: false; readonly refuse: string }

/** Rejects where it cannot be done; the plugin refuses then. */
export async function answerOpencode(text: string, more: Partial<HookDeps> = {}): Promise<OpencodeAnswer> {
  const verdict = await verdictOn(eventOf(opencodeEvent.parse(JSON.parse(text))), hookDeps(more))
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

const about = { directory: z.string().min(1), sessionID: z.string().min(1).default('opencode') }
const opencodeEvent = z.discriminatedUnion('event', [
  z.object({
    ...about,
    event: z.literal('tool.execute.before'),
    tool: z.string().min(1),
    callID: z.string().optional(),
    args: z.record(z.string(), z.unknown()),
  }),
  z.object({ ...about, event: z.literal('tool.execute.after') }),
  z.object({ ...about, event: z.literal('system') }),
])

function eventOf(told: z.infer<typeof opencodeEvent>): HookEvent {
  const { directory: cwd, sessionID: session } = told
  const event = { agent: 'opencode', session, cwd }
  if (told.event !== 'tool.execute.before') return { ...event, kind: told.event === 'system' ? 'begins' : 'after' }
  const { tool, args: input, callID: id } = told
  return { ...event, kind: 'tool', call: opencodeCall({ tool, input, cwd, id }) }
}
