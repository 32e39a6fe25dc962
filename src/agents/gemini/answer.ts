import { z } from 'zod'
import { type HookDeps, hookDeps } from '../hook/deps.js'
import { hookEventOf, namedEvent } from '../hook/named-event.js'
import { type HookEvent, type HookVerdict, verdictOn } from '../hook/verdict.js'
import { geminiCall } from './tools.js'

/** The one JSON object of an answer, in the words of Gemini CLI alone. */
export type GeminiAnswer = Readonly<Record<string, unknown>>

const NOTHING: GeminiAnswer = {}

/** Rejects where it cannot be done; then the hook ends with code 2, nothing on stdout, and the reason on stderr. */
export async function answerGemini(text: string, more: Partial<HookDeps> = {}): Promise<GeminiAnswer> {
  const { mcp_context: server, ...told } = geminiEvent.parse(JSON.parse(text))
  const event = hookEventOf(told, 'gemini-cli', KINDS, (call) => geminiCall(call, server?.server_name))
  return toAnswer(await verdictOn(event, hookDeps(more)), told.hook_event_name)
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
