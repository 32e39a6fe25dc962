import { type ToolOutcome, withFeedback } from '../../hooks/index.js'
import type { Feedback, ToolError } from '../../index.js'
import { errorText } from '../../surface/index.js'
import type { Outcome } from './tool.js'

/** The result of a tool. */
export interface RooToolResult {
  /** The text for the model. */
  readonly content: string
  readonly isError: boolean
  /** Set if the call was refused; `content` has the same record. */
  readonly denial?: ToolError
  /** Reviewers' feedback with this result; `content` has it too. */
  readonly feedback?: readonly Feedback[]
}

/** The result of a staged write, in the fields of the host's own write tools. */
export function writeOutcome(path: string, operation: 'created' | 'modified' | 'deleted' | 'moved'): Outcome {
  return { path, operation, notice: NOTICE }
}

export const NOTICE = 'Staged for review. Your reads show the change; it reaches the disk when a person approves it.'

/** A denial becomes its `tool_error` record; any other error the host's error shape, without a stack. */
export function toToolResult(tool: string, outcome: ToolOutcome<Outcome>): RooToolResult {
  const { feedback } = outcome
  if (outcome.status === 'done') return { ...toContent(outcome.value, feedback), isError: false }
  if (outcome.status === 'denied') {
    const { denial } = outcome
    return { ...toContent({ ...denial }, feedback), isError: true, denial }
  }
  const { error } = outcome
  const text = errorText(error)
  return { ...toContent({ status: 'error', message: `${tool} failed.`, error: text }, feedback), isError: true }
}

/** Appends feedback to the next result, so that the model gets it without asking. */
function toContent(outcome: Outcome, feedback: readonly Feedback[]): Pick<RooToolResult, 'content' | 'feedback'> {
  if (feedback.length === 0) return { content: typeof outcome === 'string' ? outcome : JSON.stringify(outcome) }
  if (typeof outcome !== 'string') return { content: JSON.stringify({ ...outcome, feedback }), feedback }
  return { content: withFeedback(outcome, feedback), feedback }
}
