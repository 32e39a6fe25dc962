import { type ToolOutcome, withFeedback } from '../../hooks/index.js'
import type { Feedback, ToolError } from '../../index.js'
import { errorText } from '../../surface/index.js'
import type { Outcome } from './tool.js'

/** A tool's answer. */
export interface RooToolResult {
  /** What the model sees. */
  readonly content: string
  readonly isError: boolean
  /** Set when the call was refused; `content` holds the same record. */
  readonly denial?: ToolError
  /** A reviewer's words that came with this result; `content` holds them too. */
  readonly feedback?: readonly Feedback[]
}

/** The answer to a write that was staged, in the fields the host's own write tools use. */
export function writeOutcome(path: string, operation: 'created' | 'modified' | 'deleted' | 'moved'): Outcome {
  return { path, operation, notice: NOTICE }
}

export const NOTICE = 'Staged for review. Your reads show the change; it reaches the disk when a person approves it.'

/** A refusal becomes its `tool_error` record; anything else the host's error shape, never a stack. */
export function toToolResult(tool: string, outcome: ToolOutcome<Outcome>): RooToolResult {
  const { feedback } = outcome
  if (outcome.status === 'done') return { ...toContent(outcome.value, feedback), isError: false }
  if (outcome.status === 'denied') {
    const { denial } = outcome
    return { ...toContent({ ...denial }, feedback), isError: true, denial }
  }
  const { error } = outcome
  const words = errorText(error)
  return { ...toContent({ status: 'error', message: `${tool} failed.`, error: words }, feedback), isError: true }
}

/** A reviewer's words ride on the next result, so that a model that asks for nothing still gets them. */
function toContent(outcome: Outcome, feedback: readonly Feedback[]): Pick<RooToolResult, 'content' | 'feedback'> {
  if (feedback.length === 0) return { content: typeof outcome === 'string' ? outcome : JSON.stringify(outcome) }
  if (typeof outcome !== 'string') return { content: JSON.stringify({ ...outcome, feedback }), feedback }
  return { content: withFeedback(outcome, feedback), feedback }
}
