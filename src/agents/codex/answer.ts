import { z } from 'zod'
import { type HookDeps, hookDeps } from '../hook/deps.js'
import { namedEvent, toHookEvent } from '../hook/named-event.js'
import { readEvent } from '../hook/read-event.js'
import { type HookEvent, type HookVerdict, verdictOn } from '../hook/verdict.js'
import { codexCall } from './tools.js'

/** The JSON object of an answer. Codex lets a tool run if the object has an unknown key. */
export type CodexAnswer = Readonly<Record<string, unknown>>

const NOTHING: CodexAnswer = {}

/** If it rejects, the hook must exit with code 2, empty stdout, and the reason on stderr; Codex ignores code 2 without a reason. */
export async function answerCodex(text: string, more: Partial<HookDeps> = {}): Promise<CodexAnswer> {
  const parsed = readEvent('Codex', text, (value) => codexEvent.parse(value))
  const event = toHookEvent(parsed, 'codex', KINDS, (call) => codexCall({ ...call, id: parsed.tool_use_id }))
  return toAnswer(await verdictOn(event, hookDeps(more)), parsed.hook_event_name)
}

const codexEvent = namedEvent.extend({ tool_use_id: z.string().optional() })

const KINDS: Readonly<Record<string, HookEvent['kind']>> = {
  PreToolUse: 'tool',
  PermissionRequest: 'tool',
  PostToolUse: 'after',
  SessionStart: 'begins',
  UserPromptSubmit: 'turns',
  Stop: 'ends',
}

function toAnswer(verdict: HookVerdict, name: string): CodexAnswer {
  switch (verdict.kind) {
    case 'pass':
      return NOTHING
    case 'context':
      return { hookSpecificOutput: { hookEventName: name, additionalContext: verdict.words } }
    case 'continue':
      return { decision: 'block', reason: verdict.words }
    case 'refuse':
      return { hookSpecificOutput: { hookEventName: name, ...refusal(name, verdict.why) } }
  }
}

function refusal(name: string, why: string): CodexAnswer {
  if (name === 'PermissionRequest') return { decision: { behavior: 'deny', message: why } }
  return { permissionDecision: 'deny', permissionDecisionReason: why }
}
