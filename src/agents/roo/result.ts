import { denialOf, EscrowError, type Feedback, type ToolError, toolError } from '../../index.js'
import type { Outcome } from './tool.js'

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
export function written(path: string, operation: 'created' | 'modified' | 'deleted' | 'moved'): Outcome {
  return { path, operation, notice: NOTICE }
}

export const NOTICE =
  'Staged for review. Your own reads show the change already; it reaches the disk once a person approves it.'

export function success(outcome: Outcome, feedback: readonly Feedback[]): RooToolResult {
  return { ...rendered(outcome, feedback), isError: false }
}

/** A refusal becomes its `tool_error` record; anything else the host's error shape, never a stack. */
export function failure(tool: string, error: unknown, feedback: readonly Feedback[]): RooToolResult {
  const denial = denialRecord(tool, error)
  if (denial !== undefined) return { ...rendered({ ...denial }, feedback), isError: true, denial }
  const words = error instanceof Error ? error.message : String(error)
  return { ...rendered({ status: 'error', message: `${tool} failed.`, error: words }, feedback), isError: true }
}

function denialRecord(tool: string, error: unknown): ToolError | undefined {
  const denial = denialOf(error)
  if (denial !== undefined) return toolError({ ...denial, tool })
  if (!(error instanceof EscrowError)) return undefined
  const { reason, message, hint } = error
  return { type: 'tool_error', tool, reason, message, ...(hint !== undefined && { hint }) }
}

/** A reviewer's words ride on the next result, so that a model that asks for nothing still gets them. */
function rendered(outcome: Outcome, feedback: readonly Feedback[]): Pick<RooToolResult, 'content' | 'feedback'> {
  if (feedback.length === 0) return { content: typeof outcome === 'string' ? outcome : JSON.stringify(outcome) }
  if (typeof outcome !== 'string') return { content: JSON.stringify({ ...outcome, feedback }), feedback }
  const words = feedback.map((item) => `- ${item.path ?? 'all changes'}: ${item.kind}: ${item.reason}`)
  return { content: `${outcome}\n\nFrom the reviewer:\n${words.join('\n')}`, feedback }
}
