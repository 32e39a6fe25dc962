import type { CallToolResult } from '@modelcontextprotocol/server'
import { formatToolError, type ToolOutcome, withFeedback } from '../../hooks/index.js'
import type { Feedback } from '../../index.js'
import { errorText } from '../../surface/index.js'
import type { Answer } from './tool.js'

/** Where a result's `_meta` has the record of a refusal, and reviewers' words. */
export const DENIAL = 'dev.escrowfs/denial'
/** The key in a result's `_meta` that holds what reviewers said. */
export const FEEDBACK = 'dev.escrowfs/feedback'

/** What a client is told of a call. A refusal is its message, with the record beside it; a failure is never a stack. */
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
  const words = errorText(error)
  return withFeedbackText({ content: [{ type: 'text', text: words }], isError: true }, feedback)
}

/** Most clients show a model the structured content alone, where there is one: a reviewer's words are in it, too. */
function toSuccess({ content, structured }: Answer, feedback: readonly Feedback[]): CallToolResult {
  if (structured === undefined) return { content }
  if (feedback.length === 0) return { content, structuredContent: structured }
  return { content, structuredContent: { ...structured, reviewer: withFeedback('', feedback) } }
}

/** A reviewer's words come in a block of their own, behind all else. */
function withFeedbackText(result: CallToolResult, feedback: readonly Feedback[]): CallToolResult {
  if (feedback.length === 0) return result
  const { content, _meta } = result
  return {
    ...result,
    content: [...content, { type: 'text', text: withFeedback('', feedback) }],
    _meta: { ..._meta, [FEEDBACK]: feedback },
  }
}
