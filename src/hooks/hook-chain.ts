import { EscrowError } from '../core/api-error.js'
import type { Denial } from '../core/denials.js'
import { hookFailure, refusalOf } from './hook-error.js'
import type { HookError, HookPayload, ToolHook } from './types.js'

/** Hooks in the order they were registered. */
export class HookChain {
  readonly #pre: ToolHook[]
  readonly #post: ToolHook[]

  constructor({ pre, post }: { readonly pre: readonly ToolHook[]; readonly post: readonly ToolHook[] }) {
    this.#pre = [...pre]
    this.#post = [...post]
  }

  registerPre(hook: ToolHook): void {
    this.#pre.push(hook)
  }

  registerPost(hook: ToolHook): void {
    this.#post.push(hook)
  }

  /** Returns the first denial. A hook that fails denies; an EscrowError of a hook is rethrown. */
  async before(payload: HookPayload): Promise<Denial | undefined> {
    const { toolName, targets } = payload
    for (const hook of this.#pre.filter((each) => concerns(each, payload))) {
      try {
        const error = await hook.preExecute(toolName, payload)
        if (error) return refusalOf(toolName, error, targets[0])
      } catch (error) {
        if (error instanceof EscrowError) throw error
        return hookFailure(toolName, hook, error)
      }
    }
    return undefined
  }

  /** Runs every hook, even after a failure of another. */
  async after(payload: HookPayload): Promise<HookError[]> {
    const errors: HookError[] = []
    for (const hook of this.#post.filter((each) => concerns(each, payload))) {
      try {
        const error = await hook.postExecute(payload.toolName, payload)
        if (error) errors.push(error)
      } catch (error) {
        const { message, reason: code } = hookFailure(payload.toolName, hook, error)
        errors.push({ message, code, toolName: payload.toolName })
      }
    }
    return errors
  }
}

function concerns({ classification }: ToolHook, payload: HookPayload): boolean {
  return classification === undefined || classification === payload.classification
}
