import { errorText } from '../core/error-text.js'
import type { ToolArguments } from './catalogue.js'
import { HookEngine } from './engine.js'

/** A tool call of a host with a single hook. */
export interface PreExecutionInput {
  readonly cwd: string
  readonly toolName: string
  readonly toolArgs: ToolArguments
  /** The conversation; `agent` by default. A host of several workspaces needs one id for each. */
  readonly taskId?: string
}

/** For `blocked` and `handled`, give `toolResult` to the model and do not run the tool. */
export type PreExecutionResult =
  | { readonly kind: 'continue' }
  | { readonly kind: 'blocked' | 'handled'; readonly toolResult: string }

/**
 * The hook for hosts that call before a tool and never after. It uses the engine of this process, and blocks every call without one.
 * With `gate.tools: all`, only the selection of an intent passes before an intent is active.
 */
export async function preExecutionHook(
  { cwd, toolName, toolArgs, taskId = 'agent' }: PreExecutionInput,
  engine?: HookEngine,
): Promise<PreExecutionResult> {
  try {
    const judge = engine ?? HookEngine.getInstance()
    const result = await judge.runPreHook({ cwd, toolName, params: toolArgs, taskId }, 'pre-execution')
    if (!result.allow) return { kind: 'blocked', toolResult: result.message ?? `${toolName} was refused.` }
    return result.toolResult === undefined ? { kind: 'continue' } : { kind: 'handled', toolResult: result.toolResult }
  } catch (error) {
    return { kind: 'blocked', toolResult: errorText(error) }
  }
}
