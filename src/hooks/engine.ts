import type { GatedCall, IntentContext, Session } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import type { Denial } from '../core/denials.js'
import { breakerDenial, countRefusals } from './breaker.js'
import { type ToolCatalogue, toolCatalogue } from './catalogue.js'
import { denialRecord } from './denial-record.js'
import { createHookCall, type HookCall, type HookTask } from './hook-call.js'
import { HookChain } from './hook-chain.js'
import { approverOf, type Human, withPendingCall } from './human.js'
import { beginTool, type RunOptions, runTool, type ToolOutcome } from './run-tool.js'
import { standardHooks } from './standard-hooks.js'
import { HookTasks, type TaskOptions } from './tasks.js'
import { TurnStateMachine } from './turn-state.js'
import type { HookContext, HookError, HookInput, HookResult, HookRun, ToolHook } from './types.js'
import { formatToolError, type HookStyle, withFeedback } from './wording.js'

/** Options of an engine. */
export interface HookEngineOptions extends Omit<TaskOptions, 'workspace'> {
  /** Asks a person. Without it, a call that needs a person is refused. */
  readonly human?: Human
  readonly catalogue?: ToolCatalogue
  readonly host?: RunOptions['host']
  /** The initial hooks in order; {@link standardHooks} by default. */
  readonly hooks?: { readonly pre: readonly ToolHook[]; readonly post: readonly ToolHook[] }
}

let instance: HookEngine | undefined

/**
 * One engine for every style in which hosts call hooks. A task is a conversation; its session has the task's id, in the workspace of the
 * call's `cwd`. A refusal has one record, whatever the style. A call that cannot be opened, read or judged is refused.
 */
export class HookEngine {
  readonly turns = new TurnStateMachine()
  readonly catalogue: ToolCatalogue
  readonly #options: HookEngineOptions
  readonly #chain: HookChain
  readonly #tasks: HookTasks

  constructor(options: HookEngineOptions) {
    const { human, catalogue = toolCatalogue(), hooks = standardHooks(human) } = options
    this.#options = options
    this.catalogue = catalogue
    this.#chain = new HookChain(hooks)
    const workspace = { ...(human && { approver: approverOf(human) }) }
    this.#tasks = new HookTasks({ ...options, workspace })
  }

  /**
   * Returns the engine of this process. The first call creates it and needs options; later calls take none.
   * @throws EscrowError `session_busy` for options when the engine exists; `no_orchestration` for no options when it does not.
   */
  static getInstance(options?: HookEngineOptions): HookEngine {
    if (options && instance)
      throw new EscrowError('session_busy', 'This process already has a HookEngine. Its options cannot change.')
    if (options) instance = new HookEngine(options)
    if (instance) return instance
    throw new EscrowError('no_orchestration', 'There is no HookEngine yet, so no call can be judged.', {
      hint: 'The host calls HookEngine.getInstance with `open: openWorkspace` when it starts.',
    })
  }

  registerPreHook(hook: ToolHook): void {
    this.#chain.registerPre(hook)
  }

  registerPostHook(hook: ToolHook): void {
    this.#chain.registerPost(hook)
  }

  /** Runs a tool between its hooks. Rejects with the tool's own error, after the post-hooks have run. */
  async runWithHooks<T>(input: HookInput, execute: () => Promise<T> | T): Promise<HookRun<T>> {
    const call = await this.#openCall(input)
    if (!('task' in call)) return { ...this.#toRefusal(call, 'middleware'), failures: [] }
    const work = () => (call.hookResult === undefined ? execute() : undefined)
    const outcome = await runTool(call.task.session, call.use, work, this.#gateOptions(call))
    const failures = await this.#closeCall(call, outcome)
    if (outcome.status === 'failed' && call.isAdmitted) throw outcome.error
    const { contentHash } = call.payload
    const outcomeFields = { failures, ...defined({ contentHash }) }
    if (outcome.status !== 'done') return { ...this.#toRefusal(outcome, 'middleware'), ...outcomeFields }
    return { ...toAllowance(call, outcome), ...outcomeFields, ...defined({ value: outcome.value }) }
  }

  /**
   * Call it before a tool that the host runs. If the call is allowed, operations on the session's `fs` belong to it until
   * {@link runPostHook} or the task's next call.
   */
  async runPreHook(input: HookInput, style: HookStyle = 'engine'): Promise<HookResult> {
    const call = await this.#openCall(input)
    if (!('task' in call)) return this.#toRefusal(call, style)
    const result = await beginTool(call.task.session, call.use, this.#gateOptions(call))
    if ('refused' in result) {
      await this.#closeCall(call, result.refused)
      return this.#toRefusal(result.refused, style)
    }
    while (call.task.open) await this.runPostHook(input)
    call.task.open = { call, tool: result.open }
    if (call.hookResult === undefined) return { allow: true, feedback: [] }
    const { feedback } = await this.runPostHook(input)
    return { allow: true, feedback, toolResult: withFeedback(call.hookResult, feedback) }
  }

  /**
   * Call it after the tool. Without a preceding {@link runPreHook} it does nothing.
   * @param error the tool's error, if it failed
   */
  async runPostHook({ taskId }: Pick<HookContext, 'taskId'>, error?: unknown): Promise<HookRun<never>> {
    const task = this.#tasks.find(taskId)
    const open = task?.open
    if (!task || !open) return { allow: true, feedback: [], failures: [] }
    task.open = undefined
    const outcome = await open.tool.end(error)
    const failures = await this.#closeCall(open.call, outcome)
    const { feedback } = outcome
    const { contentHash } = open.call.payload
    const message = withFeedback('', feedback)
    const hash = contentHash === undefined ? {} : { contentHash }
    return { allow: true, feedback, failures, ...hash, ...(message !== '' && { message }) }
  }

  /** {@link runPreHook} with the result type of a hook: an error for a refused call. */
  async executePreHooks(toolName: string, payload: Omit<HookInput, 'toolName'>): Promise<HookError | undefined> {
    const { allow, message = '', error } = await this.runPreHook({ ...payload, toolName }, 'record')
    if (allow) return undefined
    return { message, code: error?.reason ?? 'failed', toolName, ...(error && { details: error }) }
  }

  /** {@link runPostHook} with the result type of a hook: the first failure. */
  async executePostHooks(
    _toolName: string,
    payload: Pick<HookContext, 'taskId'>,
    error?: unknown,
  ): Promise<HookError | undefined> {
    return (await this.runPostHook(payload, error)).failures[0]
  }

  /**
   * Selects a task's intent; null clears it.
   * @param cwd the workspace's root, required for a new task
   * @throws EscrowError as `selectIntent` of a session
   */
  async setActiveIntent(taskId: string, intentId: string | null, cwd?: string): Promise<IntentContext> {
    const task = this.#tasks.find(taskId) ?? (cwd === undefined ? undefined : await this.#tasks.of(taskId, cwd))
    if (!task) {
      const hint = 'Pass the directory of its workspace as the third argument of setActiveIntent.'
      throw new EscrowError('nothing_selected', `The task ${taskId} is unknown.`, { hint })
    }
    const context = await task.session.selectIntent(intentId)
    this.#syncTurn(taskId, task)
    return context
  }

  getActiveIntentId(taskId: string): string | undefined {
    return this.#tasks.find(taskId)?.session.intent?.id
  }

  async clearIntent(taskId: string): Promise<void> {
    if (this.#tasks.find(taskId)) await this.setActiveIntent(taskId, null)
  }

  /** Call it for each message of a person: resets the breaker and clears the intent, which must be selected for the new request. */
  async startTurn(taskId: string): Promise<void> {
    this.forgetRefusals(taskId)
    await this.clearIntent(taskId)
    this.turns.startTurn(taskId)
  }

  /** Resets the breaker. Call it when a person has answered a question of the agent. */
  forgetRefusals(taskId: string): void {
    const task = this.#tasks.find(taskId)
    if (task) task.refusals = []
  }

  /**
   * Returns a task's session, and opens it if necessary. Rejects with the errors of opening.
   * @param modelId the model, for a session that this call opens
   */
  async sessionOf(taskId: string, cwd: string, modelId?: string): Promise<Session> {
    return (await this.#tasks.of(taskId, cwd, modelId)).session
  }

  /** Ends a conversation. Its session is closed and keeps its stage. */
  async endTask(taskId: string): Promise<void> {
    await this.runPostHook({ taskId })
    this.turns.forget(taskId)
    await this.#tasks.end(taskId)
  }

  async close(): Promise<void> {
    if (instance === this) instance = undefined
    await this.#tasks.close()
  }

  /** Never rejects: a call whose session cannot be opened is refused. */
  async #openCall(input: HookInput): Promise<HookCall | ToolOutcome<never>> {
    try {
      const { taskId, cwd, modelId } = input
      const params = structuredClone(input.params)
      const task = await this.#tasks.of(taskId, cwd, modelId)
      await this.runPostHook(input)
      const activeIntentId = input.activeIntentId ?? task.session.intent?.id
      const context = { ...input, params, activeIntentId, timestamp: input.timestamp ?? new Date().toISOString() }
      return createHookCall(task, context, this.catalogue)
    } catch (error) {
      const denial = denialRecord(input.toolName, error)
      return denial ? { status: 'denied', denial, error, feedback: [] } : { status: 'failed', error, feedback: [] }
    }
  }

  #gateOptions(call: HookCall): RunOptions {
    const { host } = this.#options
    const gate = (gated: GatedCall) => {
      call.gated = gated
      return withPendingCall(call.pending, () => this.#judge(call))
    }
    return { catalogue: this.catalogue, gate, ...defined({ host }) }
  }

  async #judge(call: HookCall): Promise<Denial | undefined> {
    const { task, pending, payload } = call
    const stopped = await breakerDenial(call, this.catalogue, this.#options.human)
    call.isStopped = stopped !== undefined
    if (stopped) return stopped
    this.#syncTurn(pending.taskId, task)
    const denial = (await this.#chain.before(payload)) ?? (await payload.judge())
    if (denial) return denial
    this.#syncTurn(pending.taskId, task)
    if (call.isDestructive) this.turns.allowAction(pending.taskId)
    call.isAdmitted = true
    return undefined
  }

  /** Brings the turn's state up to the session's intent. This also leaves the blocked state after a refusal. */
  #syncTurn(taskId: string, { session }: HookTask): void {
    const { intent } = session
    if (intent === undefined) this.turns.startTurn(taskId)
    else this.turns.onIntentSelected(taskId, intent.id)
  }

  async #closeCall(call: HookCall, outcome: ToolOutcome<unknown>): Promise<HookError[]> {
    const { pending, isDestructive, payload } = call
    countRefusals(call, outcome)
    if (outcome.status === 'denied') this.turns.block(pending.taskId)
    else if (isDestructive) this.turns.resetToContextLoaded(pending.taskId)
    return this.#chain.after(Object.assign(payload, { outcome: outcome.status }))
  }

  #toRefusal(outcome: ToolOutcome<unknown>, style: HookStyle): HookResult {
    const { feedback } = outcome
    if (outcome.status === 'denied') {
      const message = withFeedback(formatToolError(style, outcome.denial), feedback)
      return { allow: false, message, error: outcome.denial, feedback }
    }
    const words = outcome.status === 'failed' && outcome.error instanceof Error ? outcome.error.message : 'It failed.'
    return { allow: false, message: withFeedback(words, feedback), feedback }
  }
}

function toAllowance(call: HookCall, { feedback }: ToolOutcome<unknown>): HookResult {
  const message = withFeedback('', feedback)
  const toolResult = call.hookResult === undefined ? undefined : withFeedback(call.hookResult, feedback)
  return {
    allow: true,
    feedback,
    ...(message !== '' && { message }),
    ...defined({ toolResult }),
  }
}
