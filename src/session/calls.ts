import type { Attribution } from '../../overlay/index.js'
import type { ToolCall } from '../core/api.js'
import { defined } from '../core/defined.js'
import { type Denial, type DenialError, denialError, denialOf } from '../core/denials.js'
import { newId } from '../core/ids.js'
import { currentTool, runInTool, type ToolContext } from '../core/tool-context.js'
import { judgeWrites, type View } from '../fs/index.js'
import type { SessionQuestions } from '../inbox/index.js'
import { isDiskFull } from '../os/disk-full.js'
import { missingMutationClass, type Policy } from '../policy/index.js'
import { declare, type LedgerOutbox, type StageStore } from '../stage/index.js'
import type { SessionLimits } from './limits.js'
import type { SessionSnapshots } from './snapshots.js'
import type { SessionState } from './state.js'

/** The running tool calls: maps each call of `fs` to its tool call, and tracks the touched paths and the agent. */
export class SessionCalls {
  /** Call id → the paths it has touched. */
  readonly #paths = new Map<string, Set<string>>()
  /** The agents of calls that named one. */
  readonly #agents = new WeakMap<ToolContext, number>()
  /** Calls whose host runs the tool itself, in the order they began. */
  readonly #ambient: ToolContext[] = []

  constructor(private readonly state: Readonly<SessionState>) {}

  /** The tool call a call of `fs` belongs to. */
  readonly current = (): ToolContext | undefined => currentTool() ?? this.#ambient.at(-1)

  /** The author of an edit made now: the agent of its tool call, else the session's agent. */
  readonly author = (): Attribution => {
    const tool = this.current()
    const { intentId: intent, author } = this.state
    const agent = (tool && this.#agents.get(tool)) ?? author
    return { ...defined({ intent }), ...(tool?.callId && { call: tool.callId }), agent }
  }

  /** Sets the author of the current tool call; a call that begins later may have another. */
  setAgent(agent: number): void {
    const tool = this.current()
    if (tool) this.#agents.set(tool, agent)
  }

  readonly onTouch = (path: string): void => {
    this.#paths.get(this.current()?.callId ?? '')?.add(path)
  }

  /** @returns the paths that the call touches; the set fills as it runs */
  begin({ callId }: ToolContext): ReadonlySet<string> {
    const paths = new Set<string>()
    this.#paths.set(callId, paths)
    return paths
  }

  /** Until the call ends, calls of `fs` outside of any tool context belong to it. */
  adopt(context: ToolContext): void {
    this.#ambient.push(context)
  }

  end(context: ToolContext): void {
    this.#paths.delete(context.callId)
    const at = this.#ambient.indexOf(context)
    if (at !== -1) this.#ambient.splice(at, 1)
  }
}

/** The work of a call, given its context and the paths it touches. */
type Work<T> = (context: ToolContext, touched: ReadonlySet<string>) => Promise<T> | T

/** Decides whether a tool call may begin: its host's gate, then policy on each write that it announces. */
export class CallGate {
  /** @param recordDenial records a denial */
  constructor(
    private readonly policy: Policy,
    private readonly questions: Pick<SessionQuestions, 'waitForAnswers'>,
    private readonly limits: Pick<SessionLimits, 'runAnnounced'>,
    private readonly view: View,
    private readonly recordDenial: (denial: Denial) => void,
    private readonly syncExternal: () => unknown,
  ) {}

  /**
   * Asks the gate first, then policy, because a person at the gate may take a while to answer. The gate may ask policy itself;
   * a denial that it gets is final, whatever the gate answers.
   * @throws DenialError
   */
  async admit(call: ToolCall, id: string): Promise<void> {
    let policyError: DenialError | undefined
    const judge = async () => {
      policyError ??= await this.#judge(call)
      return policyError?.denial
    }
    const hostDenial = await call.gate?.({ id, judge })
    if (policyError === undefined && hostDenial !== undefined) this.recordDenial(hostDenial)
    const error =
      policyError ?? (hostDenial ? denialError(hostDenial, 'open', hostDenial.file) : await this.#judge(call))
    if (error) throw error
  }

  /**
   * Waits for the approver if a write needs approval, then judges again. The call has written nothing yet, so it can
   * wait.
   */
  async #judge(call: ToolCall): Promise<DenialError | undefined> {
    const denial = (call.needsIntent === true ? this.policy.denialWithoutPath() : undefined) ?? this.#missingClass(call)
    if (denial) {
      this.recordDenial(denial)
      return denialError(denial, 'open')
    }
    for (;;) {
      const error = this.limits.runAnnounced(() => judgeWrites(this.view, call.writes ?? [], this.recordDenial))
      if (error?.reason !== 'needs_approval' || !(await this.questions.waitForAnswers())) return error
      this.syncExternal()
    }
  }

  #missingClass({ writes = [], declares }: ToolCall): Denial | undefined {
    // A directory has no content to classify.
    const changes = writes.some(({ effect }) => effect !== 'mkdir')
    const isRequired = changes && declares === undefined && this.policy.gate().requireMutationClass
    return isRequired ? missingMutationClass() : undefined
  }
}

/** Runs tool calls in their context: a snapshot before each; after it a ledger record, and the stage flushed to disk. */
export class CallRunner {
  /** @param merge merges staged files with the disk before a read tool shows them */
  constructor(
    private readonly calls: SessionCalls,
    private readonly gate: CallGate,
    private readonly state: Readonly<SessionState>,
    private readonly store: StageStore,
    private readonly outbox: LedgerOutbox,
    private readonly snapshots: SessionSnapshots,
    private readonly questions: Pick<SessionQuestions, 'markUsed'>,
    private readonly merge: (reads: readonly string[]) => Promise<void>,
  ) {}

  async run<T>(call: ToolCall, work: Work<T>): Promise<T> {
    const { tool, kind, host, id = newId() } = call
    const context: ToolContext = { tool, kind, callId: id, ...defined({ host }) }
    const snapshot = this.snapshots.beforeCall(context)
    const paths = this.calls.begin(context)
    let outcome = 'error'
    try {
      const result = await runInTool(context, async () => {
        await this.#retryLedger()
        await this.gate.admit(call, id)
        if (call.declares !== undefined) declare(this.store, id, call.declares)
        if (call.reads !== undefined) await this.merge(call.reads)
        if (call.ambient === true) this.calls.adopt(context)
        return work(context, paths)
      })
      outcome = 'ok'
      return result
    } catch (error) {
      if (denialOf(error)) outcome = 'denied'
      throw error
    } finally {
      this.calls.end(context)
      const { declares, why } = call
      const record = { tool, id, outcome, paths: [...paths].sort(), snapshot: snapshot.id, declares, why }
      if (!this.state.closed) this.#end(snapshot, record)
    }
  }

  #end(snapshot: ReturnType<SessionSnapshots['beforeCall']>, record: Parameters<LedgerOutbox['toolCall']>[0]): void {
    try {
      snapshot.endCall()
      this.questions.markUsed()
      this.outbox.toolCall(record, this.state.intentId)
      this.store.sync()
      this.outbox.drainSoon()
    } catch (error) {
      // On a full disk, the error of a failed call says what was lost.
      if (record.outcome === 'ok' || !isDiskFull(error)) throw error
    }
  }

  /** Tries again to write the waiting records, so that a call is refused only while the ledger cannot be written. */
  async #retryLedger(): Promise<void> {
    if (this.outbox.problem !== undefined) await this.outbox.drain().catch(() => undefined)
  }
}
