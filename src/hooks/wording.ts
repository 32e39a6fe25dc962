import type { Feedback } from '../core/api.js'
import type { ToolError } from '../core/denials.js'
import type { ToolOutcome } from './run-tool.js'

/** The styles hosts ask in. Each has its own words for a missing intent; the record is the same. */
export type HookStyle = 'engine' | 'middleware' | 'pre-execution' | 'record'

const MISSING_INTENT: Readonly<Record<Exclude<HookStyle, 'record'>, string>> = {
  engine: 'Error: You must call select_active_intent before writing files.',
  middleware: 'No active intent selected. Call select_active_intent first.',
  'pre-execution':
    'Error: You must first declare an active intent using select_active_intent(intent_id) before performing any other actions.',
}

/** What a model is told of a refusal. */
export function formatToolError(style: HookStyle, { reason, message, hint }: ToolError): string {
  if (style !== 'record' && reason === 'missing_intent_id') return MISSING_INTENT[style]
  return hint === undefined ? message : `${message} ${hint}`
}

/** A text with reviewers' words behind it, if there are any. */
export function withFeedback(text: string, feedback: readonly Feedback[]): string {
  if (feedback.length === 0) return text
  const words = feedback.map((item) => `- ${item.path ?? 'all changes'}: ${item.kind}: ${item.reason}`)
  return `${text}\n\nFrom the reviewer:\n${words.join('\n')}`.trimStart()
}

/**
 * What a model reads of a call's end: the tool's own text (anything else as JSON), the record of a refusal, or what failed; with
 * reviewers' words behind it.
 */
export function outcomeText(outcome: ToolOutcome<unknown>): string {
  return withFeedback(textOf(outcome), outcome.feedback)
}

function textOf(outcome: ToolOutcome<unknown>): string {
  if (outcome.status === 'denied') return JSON.stringify(outcome.denial)
  if (outcome.status === 'failed') return outcome.error instanceof Error ? outcome.error.message : String(outcome.error)
  return typeof outcome.value === 'string' ? outcome.value : (JSON.stringify(outcome.value) ?? '')
}
