import { errorText } from '../core/error-text.js'
import type { ToolArguments } from './catalogue.js'
import { HookEngine } from './engine.js'

/** A tool call as a host of one hook tells of it. */
export interface PreExecutionInput {
  readonly cwd: string
  readonly toolName: string
  readonly toolArgs: ToolArguments
  /** The conversation, `agent` unless told. A host of several workspaces names one for each. */
  readonly taskId?: string
}

/** `blocked` and `handled` carry what the model is told, and the tool is not run. */
export type PreExecutionResult =
  | { readonly kind: 'continue' }
  | { readonly kind: 'blocked' | 'handled'; readonly toolResult: string }

/**
 * The one hook of hosts that call before a tool and never after it. It goes by the engine of this process; without one
 * everything is blocked. With `gate.tools: all` nothing but the choice of an intent passes before an intent is active.
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
