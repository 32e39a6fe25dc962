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
  readonly destructive: boolean
  /** What its hooks are given. */
  readonly payload: HookPayload
  /** Policy's answer, once it is at the gate. */
  gated: GatedCall | undefined
  /** A hook's answer in the tool's place. */
  handled: string | undefined
  /** It passed its gate. */
  admitted: boolean
  /** The breaker refused it. */
  stopped: boolean
}

export function hookCall(task: HookTask, context: HookContext, catalogue: ToolCatalogue): HookCall {
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
    destructive: classification === 'DESTRUCTIVE',
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
        if (!call.admitted) call.handled = toolResult
      },
    },
    gated: undefined,
    handled: undefined,
    admitted: false,
    stopped: false,
  }
  return call
}

/** A call whose tool its host runs itself. */
export interface OpenCall {
  readonly call: HookCall
  readonly tool: OpenTool
}

/** One conversation as an engine knows it. */
export interface HookTask {
  readonly session: Session
  /** Refusals in a row, no destructive call between them. */
  refusals: ToolError[]
  open: OpenCall | undefined
}
