import type { GatedCall, Session } from '../core/api.js'
import type { Denial, ToolError } from '../core/denials.js'
import type { ToolCatalogue } from './catalogue.js'
import type { PendingCall } from './human.js'
import type { OpenTool, ToolUse } from './run-tool.js'

import type { HookContext, HookPayload } from './types.js'

/** A tool call on its way through the hooks. */
export interface HookCall {
  readonly task: HookTask
  readonly context: HookContext
  readonly use: ToolUse
  readonly pending: PendingCall
  readonly isDestructive: boolean
  /** The argument of its hooks. */
  readonly payload: HookPayload
  /** The call at the session's gate, once it gets there. */
  gated: GatedCall | undefined
  /** A result that a hook gave instead of the tool. */
  hookResult: string | undefined
  /** It passed its gate. */
  isAdmitted: boolean
  /** The breaker refused it. */
  isStopped: boolean
}

export function createHookCall(task: HookTask, context: HookContext, catalogue: ToolCatalogue): HookCall {
  const { toolName: name, params: args, taskId } = context
  const targets = catalogue
    .of(name)
    .writes(args)
    .map(({ path }) => path)
  const classification = catalogue.classify(name)
  let found: Denial | undefined
  const call: HookCall = {
    task,
    context,
    use: { name, args },
    pending: { taskId, intentId: task.session.intent?.id, tool: name, targets, params: args },
    isDestructive: classification === 'DESTRUCTIVE',
    payload: {
      ...context,
      classification,
      targets,
      session: task.session,
      contentHash: undefined,
      async judge() {
        found ??= await call.gated?.judge()
        return found
      },
      handle(toolResult) {
        if (!call.isAdmitted) call.hookResult = toolResult
      },
    },
    gated: undefined,
    hookResult: undefined,
    isAdmitted: false,
    isStopped: false,
  }
  return call
}

/** A call whose tool the host runs itself. */
export interface OpenCall {
  readonly call: HookCall
  readonly tool: OpenTool
}

/** One conversation. */
export interface HookTask {
  readonly session: Session
  /** Consecutive denials without a successful destructive call. */
  refusals: ToolError[]
  open: OpenCall | undefined
}
