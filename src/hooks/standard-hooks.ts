import { defined } from '../core/defined.js'
import type { DenialReason } from '../core/denials.js'
import { ADDED_TOOLS, isAddedTool } from './added-tools.js'
import { hookError } from './hook-error.js'
import { type Human, questionOf } from './human.js'
import { mutationHash } from './mutation-hash.js'
import { ToolFailure } from './tool-failure.js'
import type { HookError, HookPayload, ToolHook } from './types.js'

/**
 * The standard hooks. They are thin: they return the decision of the session's policy, which also checks every call of `fs`, with or
 * without hooks.
 */

/** Refuses a call that policy denies for one of the given reasons. */
class PolicyHook implements ToolHook {
  readonly #reasons: ReadonlySet<DenialReason>

  constructor(...reasons: DenialReason[]) {
    this.#reasons = new Set(reasons)
  }

  async preExecute(toolName: string, payload: HookPayload): Promise<HookError | undefined> {
    const denial = await payload.judge()
    return denial && this.#reasons.has(denial.reason) ? hookError(toolName, denial) : undefined
  }

  postExecute(): void {}
}

/** Refuses destructive calls without an active intent; with `gate.tools: all`, every call. */
export class IntentGateHook extends PolicyHook {
  constructor() {
    super('missing_intent_id', 'unknown_intent', 'not_trusted', 'intent_not_active', 'intent_ignored')
  }

  override async preExecute(toolName: string, payload: HookPayload): Promise<HookError | undefined> {
    const error = await super.preExecute(toolName, payload)
    const { params, session, classification, targets } = payload
    const { intent_id: cited } = params
    const active = session.intent?.id
    if (error || classification === 'SAFE' || typeof cited !== 'string' || cited === active) return error
    const [file] = targets
    const message = `Intent Not Active: the call cites ${cited}; the active intent is ${active ?? 'none'}.`
    const hint = 'Call select_active_intent first.'
    return hookError(toolName, { reason: 'intent_not_active', message, hint, ...defined({ file }) })
  }
}

/** Refuses writes outside the intent's owned scope and to protected paths. */
export class ScopeEnforcementHook extends PolicyHook {
  constructor() {
    super('scope_violation', 'protected_path', 'path_escape', 'access_denied', 'hidden', 'claimed')
  }
}

/** Refuses a write to a file that changed since the model read it. */
export class OptimisticLockHook extends PolicyHook {
  constructor() {
    super('stale_file')
  }
}

/** Asks a person if policy requires it, and with `approval.modal: all` before each destructive call. */
export class HumanInTheLoopHook implements ToolHook {
  readonly classification = 'DESTRUCTIVE'
  readonly #human: Human | undefined

  constructor(human?: Human) {
    this.#human = human
  }

  async preExecute(toolName: string, payload: HookPayload): Promise<HookError | undefined> {
    const denial = await payload.judge()
    if (denial) {
      const needsPerson = denial.reason === 'needs_approval' || denial.reason === 'user_rejected'
      return needsPerson ? hookError(toolName, denial) : undefined
    }
    if (payload.session.gate.modal !== 'all') return undefined
    const { taskId, params, targets } = payload
    const call = { taskId, tool: toolName, targets, params, intentId: payload.session.intent?.id }
    const answer = await this.#human?.(questionOf('call', call, `May ${toolName} run?`))
    if (answer?.approved === true) return undefined
    return hookError(toolName, this.#human ? rejectedByPerson(answer?.words, targets) : NOBODY)
  }

  postExecute(): void {}
}

function rejectedByPerson(words: string | undefined, [file]: readonly string[]) {
  const hint = 'Do something else, or ask the person what they want instead.'
  const message = words ?? 'A person rejected this call.'
  return { reason: 'user_rejected', message, hint, ...defined({ file }) } as const
}

const NOBODY = {
  reason: 'needs_approval',
  message:
    'Needs Approval: policy asks a person about each call that changes something (approval.modal), and no person can be asked here.',
  hint: 'Tell the person to run the agent where questions can be answered.',
} as const

/** Answers `select_active_intent` with the intent's curated context; null clears the intent. */
export class ContextLoadingHook implements ToolHook {
  async preExecute(toolName: string, { params, session, handle }: HookPayload): Promise<HookError | undefined> {
    if (toolName !== 'select_active_intent') return undefined
    return toHookError(toolName, 'unknown_intent', async () => handle(await ADDED_TOOLS[toolName].run(session, params)))
  }

  postExecute(): void {}
}

/** Answers the other tools that escrowfs adds. */
export class AddedToolsHook implements ToolHook {
  async preExecute(toolName: string, payload: HookPayload): Promise<HookError | undefined> {
    if (toolName === 'select_active_intent' || !isAddedTool(toolName)) return undefined
    const denial = await payload.judge()
    if (denial) return hookError(toolName, denial)
    const { session, params, handle } = payload
    return toHookError(toolName, 'unsupported', async () => handle(await ADDED_TOOLS[toolName].run(session, params)))
  }

  postExecute(): void {}
}

/** Refuses invalid arguments, which the model can correct. */
async function toHookError(
  tool: string,
  reason: DenialReason,
  work: () => Promise<void>,
): Promise<HookError | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error
    return hookError(tool, { reason, message: error.message })
  }
}

/** Selects in the session the intent that a host keeps for its task. An undeclared intent is refused. */
export class ActiveIntentSyncHook implements ToolHook {
  async preExecute(toolName: string, { activeIntentId, session }: HookPayload): Promise<undefined> {
    if (toolName === 'select_active_intent' || activeIntentId === undefined) return
    if (activeIntentId !== session.intent?.id) await session.selectIntent(activeIntentId)
  }

  postExecute(): void {}
}

/** Sets the digest of the canonical call. */
export class MutationHashHook implements ToolHook {
  readonly classification = 'DESTRUCTIVE'

  preExecute(toolName: string, payload: HookPayload): void {
    payload.contentHash = mutationHash(toolName, payload.params)
  }

  postExecute(): void {}
}

/** Flushes the ledger after each call. */
export class TraceLedgerHook implements ToolHook {
  preExecute(): void {}

  async postExecute(_toolName: string, { session }: HookPayload): Promise<void> {
    await session.flush()
  }
}

/** Alias of {@link IntentGateHook}. */
export const requireActiveIntent: ToolHook = new IntentGateHook()
/** Alias of {@link MutationHashHook}. */
export const hashMutation: ToolHook = new MutationHashHook()
/** Alias of {@link ActiveIntentSyncHook}. */
export const syncActiveIntent: ToolHook = new ActiveIntentSyncHook()

/** Returns the default hooks of an engine, in order. */
export function standardHooks(human?: Human): {
  readonly pre: readonly ToolHook[]
  readonly post: readonly ToolHook[]
} {
  return {
    pre: [
      syncActiveIntent,
      new ContextLoadingHook(),
      requireActiveIntent,
      new ScopeEnforcementHook(),
      new OptimisticLockHook(),
      hashMutation,
      new HumanInTheLoopHook(human),
      new AddedToolsHook(),
    ],
    post: [new TraceLedgerHook()],
  }
}
