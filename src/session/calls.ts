import type { Attribution } from '../../overlay/index.js'
import type { ToolCall } from '../core/api.js'
import { defined } from '../core/defined.js'
import { type Denial, type DenialError, denialError, denialOf } from '../core/denials.js'
import { newId } from '../core/ids.js'
import { currentTool, runInTool, type ToolContext } from '../core/tool-context.js'
import { judgeWrites, type View } from '../fs/index.js'
import type { SessionQuestions } from '../inbox/index.js'
import { missingMutationClass, type Policy } from '../policy/index.js'
import { declare, type LedgerOutbox, type StageStore } from '../stage/index.js'
import type { SessionSnapshots } from './snapshots.js'
import type { SessionState } from './state.js'

/** The tool calls under way: which one a call of `fs` belongs to, what it touched, and which agent made it. */
export class SessionCalls {
  /** Call id → paths it has touched so far. */
  readonly #paths = new Map<string, Set<string>>()
  /** The agents of calls that said whose they are. */
  readonly #agents = new WeakMap<ToolContext, number>()
  /** Calls whose host runs the tool itself, the latest last. */
  readonly #ambient: ToolContext[] = []

  constructor(private readonly state: Readonly<SessionState>) {}

  /** The tool call a call of `fs` belongs to. */
  readonly current = (): ToolContext | undefined => currentTool() ?? this.#ambient.at(-1)

  /** Whom an edit made now is credited to: the agent of its tool call, else the agent at work. */
  readonly credit = (): Attribution => {
    const tool = this.current()
    const { intentId: intent, author } = this.state
    const agent = (tool && this.#agents.get(tool)) ?? author
    return { ...defined({ intent }), ...(tool?.callId && { call: tool.callId }), agent }
  }

  /** Credits the tool call under way to this agent, whoever begins another meanwhile. */
  madeBy(agent: number): void {
    const tool = this.current()
    if (tool) this.#agents.set(tool, agent)
  }

  readonly onTouch = (path: string): void => {
    this.#paths.get(this.current()?.callId ?? '')?.add(path)
  }

  /** Begins a call; the set fills with the paths it touches. */
  begin({ callId }: ToolContext): ReadonlySet<string> {
    const paths = new Set<string>()
    this.#paths.set(callId, paths)
    return paths
  }

  /** Until the call ends, calls of `fs` outside any tool context belong to it. */
  adopt(context: ToolContext): void {
    this.#ambient.push(context)
  }

  end(context: ToolContext): void {
    this.#paths.delete(context.callId)
    const at = this.#ambient.indexOf(context)
    if (at !== -1) this.#ambient.splice(at, 1)
  }
}

export interface CallRunnerDeps {
  readonly calls: SessionCalls
  readonly state: Readonly<SessionState>
  readonly journal: LedgerOutbox
  readonly snapshots: SessionSnapshots
  readonly policy: Policy
  readonly questions: SessionQuestions
  readonly store: StageStore
  readonly view: View
  /** Records a denial. */
  readonly denied: (denial: Denial) => void
  readonly syncExternal: () => void
  /** Merges staged files with a disk that has changed below them. */
  readonly merge: (reads: NonNullable<ToolCall['reads']>) => Promise<void>
}

/** The work of a call, given its context and the paths it touches. */
type Work<T> = (context: ToolContext, touched: ReadonlySet<string>) => Promise<T> | T

/** Runs tool calls in their context: a snapshot before each, a record and the stage on the medium after it. */
export class CallRunner {
  constructor(private readonly deps: CallRunnerDeps) {}

  async run<T>(call: ToolCall, work: Work<T>): Promise<T> {
    const { calls, state, journal, snapshots, questions, store } = this.deps
    const { tool, kind, host, id = newId() } = call
    const context: ToolContext = { tool, kind, callId: id, ...defined({ host }) }
    const snapshot = snapshots.before(context)
    const paths = calls.begin(context)
    let outcome = 'error'
    try {
      const result = await runInTool(context, async () => {
        await this.#admit(call, id)
        if (call.declares !== undefined) declare(store, id, call.declares)
        if (call.reads !== undefined) await this.deps.merge(call.reads)
        if (call.ambient === true) calls.adopt(context)
        return work(context, paths)
      })
      outcome = 'ok'
      return result
    } catch (error) {
      if (denialOf(error)) outcome = 'denied'
      throw error
    } finally {
      calls.end(context)
      if (!state.closed) {
        snapshot.endCall()
        questions.markUsed()
        const { declares } = call
        const record = { tool, id, outcome, paths: [...paths].sort(), snapshot: snapshot.id, declares }
        journal.toolCall(record, state.intentId)
        store.sync()
        journal.drainSoon()
      }
    }
  }

  /**
   * Before a call's first write: asks the gate, then policy once more, as a person may have taken a while to answer.
   * @throws DenialError what policy denied stays denied, whatever the gate says.
   */
  async #admit(call: ToolCall, id: string): Promise<void> {
    let denied: DenialError | undefined
    const judge = async () => {
      denied ??= await this.#judge(call)
      return denied?.denial
    }
    const refused = await call.gate?.({ id, judge })
    if (denied === undefined && refused !== undefined) this.deps.denied(refused)
    const error = denied ?? (refused ? denialError(refused, 'open', refused.file) : await this.#judge(call))
    if (error) throw error
  }

  /** Before a call's first write a person can be waited for: a write that needs approval is judged again when there is an answer. */
  async #judge(call: ToolCall): Promise<DenialError | undefined> {
    const { policy, questions, view, denied, syncExternal } = this.deps
    const denial = (call.needsIntent === true ? policy.withoutPath() : undefined) ?? this.#missingClass(call)
    if (denial) {
      denied(denial)
      return denialError(denial, 'open')
    }
    for (;;) {
      const error = judgeWrites(view, call.writes ?? [], denied)
      if (error?.reason !== 'needs_approval' || !(await questions.waitForAnswers())) return error
      syncExternal()
    }
  }

  #missingClass({ writes = [], declares }: ToolCall): Denial | undefined {
    // A directory has no content that a class could describe.
    const changes = writes.some(({ effect }) => effect !== 'mkdir')
    const isRequired = changes && declares === undefined && this.deps.policy.gate().requireMutationClass
    return isRequired ? missingMutationClass() : undefined
  }
}
