import { formatToolError, type PersonalRun, type ToolEntry, withFeedback } from '../../hooks/index.js'
import type { Feedback, Session } from '../../index.js'
import { codeOf, errorText, oneLine } from '../../surface/index.js'
import { CODE, RpcFailure } from './message.js'

/** A client method for agents, executed in the session. */
export interface Tool {
  readonly entry: ToolEntry
  run(session: Session, params: unknown): Promise<unknown>
}

/** A request of the agent. */
export interface Call {
  readonly method: string
  readonly params: unknown
}

/**
 * Runs a tool as a call of the session. @throws RpcFailure with the denial's message and record
 * @param onFeedback gets feedback that the response cannot carry.
 */
export async function execute(
  session: Session,
  run: PersonalRun,
  { entry, run: work }: Tool,
  { method, params }: Call,
  onFeedback: (feedback: readonly Feedback[]) => void,
): Promise<unknown> {
  const use = { name: method, args: toRecord(params) }
  const isSafe = entry.class === 'read' || entry.class === 'question'
  const catalogue = { of: () => entry, classify: () => (isSafe ? ('SAFE' as const) : ('DESTRUCTIVE' as const)) }
  const outcome = await run(use, () => work(session, params), { catalogue })
  const { feedback } = outcome
  if (outcome.status === 'done') {
    onFeedback(feedback)
    return outcome.value
  }
  if (outcome.status === 'denied')
    throw new RpcFailure(CODE.denied, withFeedback(formatToolError('record', outcome.denial), feedback), outcome.denial)
  onFeedback(feedback)
  const { error } = outcome
  if (codeOf(error) === 'ENOENT') throw new RpcFailure(CODE.notFound, oneLine(errorText(error)))
  throw error
}

export function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
