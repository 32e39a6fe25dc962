import type {
  ChangeSet,
  ChangesOf,
  CheckReport,
  Explanation,
  Feedback,
  GateSettings,
  Intent,
  IntentContext,
  ScopeRequest,
  Session,
  Snapshot,
  ToolCall,
  Travelled,
} from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { type AgentInfo, checkedAgent } from '../core/people.js'
import { assertStrings } from '../core/strings.js'
import type { SessionTerminal } from '../exec/index.js'
import { assertInPlace } from '../os/workspace-state.js'
import { changeSetOf, type StageStore } from '../stage/index.js'
import { composeSession, type SessionParts } from './compose.js'
import type { SessionDeps } from './deps.js'
import { recordLesson } from './lessons.js'
import { relativeTo, stagedBelow } from './view.js'

/** The public API of a session: checks that the session is open, ingests reviews, and delegates to the parts. */
export class LocalSession implements Session {
  readonly id: string
  readonly fs: Session['fs']
  readonly terminal: SessionTerminal
  readonly #deps: SessionDeps
  readonly #parts: SessionParts
  #closing: Promise<void> | undefined
  /** Stops running checks. */
  readonly #closed = new AbortController()

  /** @throws EscrowError `ledger_unavailable` for a stage that cannot be read */
  constructor(deps: SessionDeps) {
    this.#deps = deps
    this.#parts = composeSession(deps)
    this.id = deps.id
    this.fs = this.#parts.fs
    this.terminal = this.#parts.terminal
  }

  get agent(): AgentInfo | undefined {
    return this.#parts.agent.known
  }

  /** For reviews in the same process. */
  get store(): StageStore {
    return this.#parts.store
  }

  get intent(): Intent | undefined {
    return this.#parts.intent.current
  }

  get gate(): GateSettings {
    return this.#parts.policy.gate()
  }

  readonly exec: Session['exec'] = (...call) => this.terminal.exec(...call)
  readonly start: Session['start'] = (...call) => this.terminal.start(...call)
  readonly run: Session['run'] = (...call) => this.terminal.run(...call)
  readonly commands: Session['commands'] = () => this.terminal.commands()

  async check(options: Parameters<Session['check']>[0] = {}): Promise<CheckReport> {
    this.#parts.assertOpen()
    const signals = [this.#closed.signal, ...(options.signal ? [options.signal] : [])]
    const selection = options.selection ?? 'all'
    return this.#deps.check({ ...options, selection, agent: this.id, signal: AbortSignal.any(signals) })
  }

  attribute(agent: AgentInfo): void {
    this.#parts.calls.setAgent(this.#parts.agent.update(checkedAgent(agent)))
  }

  async intents(): Promise<Intent[]> {
    return this.#parts.intent.selectable()
  }

  async selectIntent(id: string | null): Promise<IntentContext> {
    const { assertOpen, intent } = this.#parts
    assertOpen()
    if (id === null) return intent.clear()
    assertStrings('an intent', { id })
    return intent.select(id)
  }

  async changes(of?: ChangesOf): Promise<ChangeSet> {
    const { snapshots, store, policy } = this.#parts
    this.#sync()
    return of ? snapshots.changes(of) : changeSetOf(store, policy, this.#deps.reviews.read())
  }

  async revert(paths?: string[]): Promise<void> {
    const { store, feedback } = this.#parts
    this.#sync()
    const staged = stagedBelow(store, this.#deps.layout.root, paths)
    feedback.beforeRevert(staged.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])))
    store.drop(staged)
    store.sync()
  }

  async feedback(): Promise<Feedback[]> {
    this.#sync()
    return this.#parts.feedback.take()
  }

  async explain(path: string, op: 'read' | 'write' | 'remove'): Promise<Explanation> {
    this.#parts.assertOpen()
    const name = relativeTo(this.#deps.layout.root, path)
    return this.#parts.policy.explain({ effect: op === 'write' ? 'put' : op, path: name, asked: name })
  }

  async toolCall<T>(call: ToolCall, run: () => Promise<T> | T): Promise<T> {
    const { runner, format } = this.#parts
    this.#sync()
    assertStrings('a tool call', { tool: call.tool, ...defined({ id: call.id, why: call.why }) })
    return runner.run(call, async (context, touched) => {
      const done = await run()
      await format.after(context, new Set(touched))
      return done
    })
  }

  async flush(): Promise<void> {
    const { store, outbox } = this.#parts
    this.#parts.assertOpen()
    store.sync()
    this.#assertInPlace()
    this.#parts.syncExternal()
    await outbox.drain()
    await this.#deps.versions.recordManualEdits()
    store.sync()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#closed.abort(new EscrowError('session_busy', `Session ${this.id} was closed, so its check was stopped.`))
    const { terminal, intent, view, state, store } = this.#parts
    try {
      await terminal.close()
      await this.flush()
      await intent.clear()
    } finally {
      view.close(`Session ${this.id}`)
      state.closed = true
      try {
        store.close()
      } finally {
        this.#deps.lease?.release()
        this.#deps.onClose()
      }
    }
  }

  async requestScope(globs: string[], why: string): Promise<ScopeRequest> {
    assertStrings('a request for scope', { why })
    this.#sync()
    const request = this.#parts.questions.requestScope(globs, why)
    this.#parts.store.sync()
    return request
  }

  async recordLesson(lesson: string, context?: string): Promise<void> {
    assertStrings('a lesson', { text: lesson, ...defined({ context }) })
    const { store, outbox, state } = this.#parts
    this.#sync()
    const { layout, policyFile } = this.#deps
    await recordLesson(layout, policyFile(), store, outbox, { text: lesson, context, intent: state.intentId })
  }

  async snapshot(name?: string): Promise<Snapshot> {
    this.#parts.assertOpen()
    assertStrings('a snapshot', defined({ name }))
    return this.#parts.snapshots.take(name)
  }

  async snapshots(): Promise<Snapshot[]> {
    this.#parts.assertOpen()
    return this.#parts.snapshots.list()
  }

  async dropSnapshot(id: string): Promise<void> {
    this.#parts.assertOpen()
    this.#parts.snapshots.drop(id)
    this.#parts.store.sync()
  }

  async readSnapshot(id: string, path: string): Promise<Buffer> {
    this.#parts.assertOpen()
    return this.#parts.snapshots.read(id, relativeTo(this.#deps.layout.root, path))
  }

  async travel(id: string): Promise<Travelled> {
    const { assertOpen, syncExternal, snapshots, record, store } = this.#parts
    assertOpen()
    this.#assertInPlace()
    const result = snapshots.travel(id, syncExternal())
    await record('travel', { data: { to: id, left: result.left.id, kept: result.kept } })
    store.sync()
    return result
  }

  /** Precedes every call that reads the stage. */
  #sync(): void {
    this.#parts.assertOpen()
    this.#assertInPlace()
    this.#parts.syncExternal()
  }

  #assertInPlace(): void {
    const { layout, durability } = this.#deps
    if (durability !== 'memory') assertInPlace(layout)
  }
}
