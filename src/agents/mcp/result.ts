import type { CallToolResult } from '@modelcontextprotocol/server'
import { formatToolError, type ToolOutcome, withFeedback } from '../../hooks/index.js'
import type { Feedback } from '../../index.js'
import { sessionErrorText } from '../../surface/index.js'
import type { Answer } from './tool.js'

/** The key of a denial record in a result's `_meta`. */
export const DENIAL = 'dev.escrowfs/denial'
/** The key of reviewers' feedback in a result's `_meta`. */
export const FEEDBACK = 'dev.escrowfs/feedback'

/** Converts an outcome for a client. A denial is its message with the record in `_meta`; an error has no stack. */
export function toCallResult(outcome: ToolOutcome<Answer>): CallToolResult {
  const { feedback } = outcome
  if (outcome.status === 'done') return withFeedbackText(toSuccess(outcome.value, feedback), feedback)
  if (outcome.status === 'denied') {
    const { denial } = outcome
    const _meta = { [DENIAL]: denial }
    return withFeedbackText(
      { content: [{ type: 'text', text: formatToolError('record', denial) }], _meta, isError: true },
      feedback,
    )
  }
  const { error } = outcome
  const text = sessionErrorText(error)
  return withFeedbackText({ content: [{ type: 'text', text }], isError: true }, feedback)
}

/** Most clients show a model only the structured content, so it includes the feedback. */
function toSuccess({ content, structured }: Answer, feedback: readonly Feedback[]): CallToolResult {
  if (structured === undefined) return { content }
  if (feedback.length === 0) return { content, structuredContent: structured }
  return { content, structuredContent: { ...structured, reviewer: withFeedback('', feedback) } }
}

/** Appends the feedback in its own block. */
function withFeedbackText(result: CallToolResult, feedback: readonly Feedback[]): CallToolResult {
  if (feedback.length === 0) return result
  const { content, _meta } = result
  return {
    ...result,
    content: [...content, { type: 'text', text: withFeedback('', feedback) }],
    _meta: { ..._meta, [FEEDBACK]: feedback },
  }
}
