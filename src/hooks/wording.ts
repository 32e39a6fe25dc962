import { inspect } from 'node:util'
import type { Feedback } from '../core/api.js'
import type { ToolError } from '../core/denials.js'
import { errorText } from '../core/error-text.js'
import type { ToolOutcome } from './run-tool.js'

/** The styles in which hosts call hooks. Each has its own sentence for a missing intent; the record is the same. */
export type HookStyle = 'engine' | 'middleware' | 'pre-execution' | 'record'

const MISSING_INTENT: Readonly<Record<Exclude<HookStyle, 'record'>, string>> = {
  engine: 'Error: You must call select_active_intent before writing files.',
  middleware: 'No active intent selected. Call select_active_intent first.',
  'pre-execution':
    'Error: You must first declare an active intent using select_active_intent(intent_id) before performing any other actions.',
}

/** Returns the text of a denial for a model. */
export function formatToolError(style: HookStyle, { reason, message, hint }: ToolError): string {
  if (style !== 'record' && reason === 'missing_intent_id') return MISSING_INTENT[style]
  return hint === undefined ? message : `${message} ${hint}`
}

/** Appends reviewers' feedback to a text. */
export function withFeedback(text: string, feedback: readonly Feedback[]): string {
  if (feedback.length === 0) return text
  const words = feedback.map((item) => `- ${item.path ?? 'all changes'}: ${item.kind}: ${item.reason}`)
  return `${text}\n\nFrom the reviewer:\n${words.join('\n')}`.trimStart()
}

/**
 * Returns the text of an outcome for a model: the tool's text (any other result as JSON, or as Node
 * prints it if JSON cannot hold it), the denial record, or the error message.
 * Reviewers' feedback follows.
 */
export function outcomeText(outcome: ToolOutcome<unknown>): string {
  return withFeedback(textOf(outcome), outcome.feedback)
}

function textOf(outcome: ToolOutcome<unknown>): string {
  if (outcome.status === 'denied') return JSON.stringify(outcome.denial)
  if (outcome.status === 'failed') return errorText(outcome.error)
  return typeof outcome.value === 'string' ? outcome.value : jsonOf(outcome.value)
}

/** A tool may return what JSON cannot hold, such as a BigInt or a cycle. A loop must not end because of it. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return inspect(value)
  }
}
