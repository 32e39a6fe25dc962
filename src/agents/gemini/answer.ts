import { z } from 'zod'
import { type HookDeps, hookDeps } from '../hook/deps.js'
import { namedEvent, toHookEvent } from '../hook/named-event.js'
import { readEvent } from '../hook/read-event.js'
import { type HookEvent, type HookVerdict, verdictOn } from '../hook/verdict.js'
import { geminiCall } from './tools.js'

/** The JSON object of an answer, in Gemini CLI's own dialect. */
export type GeminiAnswer = Readonly<Record<string, unknown>>

const NOTHING: GeminiAnswer = {}

/** If it rejects, the hook must exit with code 2, empty stdout, and the reason on stderr. */
export async function answerGemini(text: string, more: Partial<HookDeps> = {}): Promise<GeminiAnswer> {
  const { mcp_context: server, ...parsed } = readEvent('Gemini CLI', text, (value) => geminiEvent.parse(value))
  const event = toHookEvent(parsed, 'gemini-cli', KINDS, (call) => geminiCall(call, server?.server_name))
  return toAnswer(await verdictOn(event, hookDeps(more)), parsed.hook_event_name)
}

const geminiEvent = namedEvent.extend({ mcp_context: z.looseObject({ server_name: z.string() }).optional() })

const KINDS: Readonly<Record<string, HookEvent['kind']>> = {
  BeforeTool: 'tool',
  AfterTool: 'after',
  SessionStart: 'begins',
  BeforeAgent: 'turns',
  AfterAgent: 'ends',
}

function toAnswer(verdict: HookVerdict, name: string): GeminiAnswer {
  switch (verdict.kind) {
    case 'pass':
      return NOTHING
    case 'context':
      return { hookSpecificOutput: { hookEventName: name, additionalContext: verdict.words } }
    case 'continue':
      return { decision: 'deny', reason: verdict.words }
    case 'refuse':
      return { decision: 'deny', reason: verdict.why }
  }
}
