import type { GatedCall, Session } from '../core/api.js'
import type { Denial } from '../core/denials.js'
import { breakerDenial, countRefusals } from './breaker.js'
import { DEFAULT, type ToolCatalogue } from './catalogue.js'
import type { HookTask } from './hook-call.js'
import { createHookCall, type HookCall } from './hook-call.js'
import { HookChain } from './hook-chain.js'
import { type Human, withPendingCall } from './human.js'
import { type RunOptions, runTool, type ToolOutcome, type ToolUse } from './run-tool.js'
import { HumanInTheLoopHook } from './standard-hooks.js'

/** {@link runTool} with the questions to a person that policy.yaml requires. */
export type PersonalRun = <T>(
  use: ToolUse,
  work: () => Promise<T> | T,
  options?: Omit<RunOptions, 'gate'>,
) => Promise<ToolOutcome<T>>

/**
 * For an adapter that runs tools on a session and needs no other hooks. With `approval.modal: all` it asks about each call, and the
 * breaker (`gate.breaker`) stops consecutive denials. Without a person there is no breaker, because nothing could reset it.
 */
export function personGate(session: Session, human?: Human): PersonalRun {
  const task: HookTask = { session, refusals: [], open: undefined }
  const chain = new HookChain({ pre: [new HumanInTheLoopHook(human)], post: [] })
  return async (use, work, options = {}) => {
    const call = createHookCall(task, contextOf(session, use), options.catalogue ?? DEFAULT)
    const gate = (gated: GatedCall) => {
      call.gated = gated
      return withPendingCall(call.pending, () => judge(call, chain, options.catalogue ?? DEFAULT, human))
    }
    const outcome = await runTool(session, use, work, { ...options, gate })
    countRefusals(call, outcome)
    return outcome
  }
}

async function judge(
  call: HookCall,
  chain: HookChain,
  catalogue: ToolCatalogue,
  human: Human | undefined,
): Promise<Denial | undefined> {
  const stopped = human && (await breakerDenial(call, catalogue, human))
  call.isStopped = stopped !== undefined
  return stopped ?? chain.before(call.payload)
}

function contextOf(session: Session, { name, args }: ToolUse) {
  const timestamp = new Date().toISOString()
  return {
    taskId: session.id,
    activeIntentId: session.intent?.id,
    toolName: name,
    params: args,
    cwd: '.',
    timestamp,
  }
}
