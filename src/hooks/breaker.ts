import type { Denial } from '../core/denials.js'
import type { ToolCatalogue } from './catalogue.js'
import type { HookCall } from './hook-call.js'
import { type Human, questionOf } from './human.js'
import type { ToolOutcome } from './run-tool.js'

/**
 * Returns the denial of the circuit breaker, if any. After `gate.breaker` consecutive denials without a successful destructive call, it
 * denies every call but questions to the person. A person's approval or next message (`startTurn`) resets it.
 */
export async function breakerDenial(
  { task, pending: call }: Pick<HookCall, 'task' | 'pending'>,
  catalogue: ToolCatalogue,
  human: Human | undefined,
): Promise<Denial | undefined> {
  const { refusals, session } = task
  if (catalogue.of(call.tool).class === 'question') return undefined
  const last = refusals.at(-1)
  if (last === undefined || refusals.length < session.gate.breaker) return undefined
  const cause = `${refusals.length} calls in a row were refused. The last reason: ${last.message}`
  const answer = await human?.(questionOf('breaker', call, `${cause} May the agent continue?`))
  if (answer?.approved === true) {
    task.refusals = []
    return undefined
  }
  const hint = 'Stop. Tell the person what you tried to do, and why it was refused.'
  const words = answer?.words === undefined ? '' : ` ${answer.words}`
  const reason = human ? 'user_rejected' : 'needs_approval'
  return { reason, tool: call.tool, message: `Stopped: ${cause} A person decides how to continue.${words}`, hint }
}

/** Counts the outcome of a call. */
export function countRefusals({ task, isDestructive, isStopped }: HookCall, outcome: ToolOutcome<unknown>): void {
  if (outcome.status === 'denied' && !isStopped) task.refusals.push(outcome.denial)
  if (outcome.status === 'done' && isDestructive) task.refusals = []
}
