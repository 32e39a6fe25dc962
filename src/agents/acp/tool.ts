import { formatToolError, type PersonalRun, type ToolEntry, withFeedback } from '../../hooks/index.js'
import type { Feedback, Session } from '../../index.js'
import { codeOf, errorText, oneLine } from '../../surface/index.js'
import { CODE, RpcFailure } from './message.js'

/** What an agent may ask of its client, done in the session. */
export interface Tool {
  readonly entry: ToolEntry
  run(session: Session, params: unknown): Promise<unknown>
}

/** A call of the agent's. */
export interface Call {
  readonly method: string
  readonly params: unknown
}

/**
 * Runs it as a call of the session. Throws {@link RpcFailure} with the refusal's words, its record beside them.
 * @param heard reviewers' words that no answer could carry.
 */
export async function execute(
  session: Session,
  run: PersonalRun,
  { entry, run: work }: Tool,
  { method, params }: Call,
  heard: (words: readonly Feedback[]) => void,
): Promise<unknown> {
  const use = { name: method, args: recordOf(params) }
  const isSafe = entry.class === 'read' || entry.class === 'question'
  const catalogue = { of: () => entry, classify: () => (isSafe ? ('SAFE' as const) : ('DESTRUCTIVE' as const)) }
  const outcome = await run(use, () => work(session, params), { catalogue })
  const { feedback } = outcome
  if (outcome.status === 'done') {
    heard(feedback)
    return outcome.value
  }
  if (outcome.status === 'denied')
    throw new RpcFailure(CODE.denied, withFeedback(formatToolError('record', outcome.denial), feedback), outcome.denial)
  heard(feedback)
  const { error } = outcome
  if (codeOf(error) === 'ENOENT') throw new RpcFailure(CODE.notFound, oneLine(errorText(error)))
  throw error
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
