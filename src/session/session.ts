// Long because: this is the one place where the parts of a session are put together.
import { memoizePerTick } from '../../overlay/index.js'
import type {
  ChangeSet,
  ChangesOf,
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
import type { Denial } from '../core/denials.js'
import type { MutationClass } from '../core/mutation.js'
import type { AgentInfo } from '../core/people.js'
import type { ToolContext } from '../core/tool-context.js'
import { SessionAdmission, SessionFormat, SessionTerminal } from '../exec/index.js'
import { judgeWrites, type View } from '../fs/index.js'
import { SessionQuestions } from '../inbox/index.js'
import { ContentLock, createPolicy, type Policy } from '../policy/index.js'
import type { ReviewRecord } from '../review/index.js'
import { changeSetOf, declare, LedgerOutbox, ownStage, type StageStore } from '../stage/index.js'
import { openVcs, type RecordDraft, type TraceType } from '../trace/index.js'
import { SessionAgent } from './agent.js'
import { SessionCalls } from './calls.js'
import type { SessionDeps } from './deps.js'
import { mergeDrifted } from './drift.js'
import { type SyncState, sessionFs } from './governed-fs.js'
import { SessionGuard } from './guard.js'
import { SessionIntent } from './intent.js'
import { recordLesson } from './lessons.js'
import { beginOrClose } from './opening.js'
import { SessionSnapshots } from './snapshots.js'
import { relativeTo, sessionView, stagedBelow } from './view.js'

/** The agent's side: a governed fs, an intent, and no way to approve or commit. */
export class LocalSession implements Session {
  readonly id: string
  readonly fs: Session['fs']
  readonly #deps: SessionDeps
  readonly #store: StageStore
  readonly #lock: ContentLock
  readonly #policy: Policy
  readonly #journal: LedgerOutbox
  readonly #intent: SessionIntent
  readonly #questions: SessionQuestions
  readonly #guard: SessionGuard
  readonly #snapshots: SessionSnapshots
  readonly #view: View
  readonly terminal: SessionTerminal
  readonly #format: SessionFormat
  readonly #calls = new SessionCalls()
  readonly #agent: SessionAgent
  readonly exec: Session['exec'] = (...call) => this.terminal.exec(...call)
  readonly start: Session['start'] = (...call) => this.terminal.start(...call)
  readonly run: Session['run'] = (...call) => this.terminal.run(...call)
  readonly commands: Session['commands'] = () => this.terminal.commands()
  readonly attribute: Session['attribute'] = (agent) => this.#calls.madeBy(this.#agent.learn(agent))
  readonly intents: Session['intents'] = async () => this.#intent.choice()
  #closed = false
  #closing: Promise<void> | undefined

  constructor(deps: SessionDeps) {
    this.#deps = deps
    this.id = deps.id
    const tool = this.#calls.current
    this.#lock = new ContentLock(() => this.#store.overlay, tool)
    this.#store = ownStage(deps.layout, deps.id, {
      durability: deps.durability,
      memory: deps.memory,
      credit: () => this.#calls.credit(this.#intent.id, this.#agent.number),
      knownBase: (path) => this.#lock.baseOf(path),
      room: (path, size) => this.#guard.assertRoom(path, size),
      touched: (path) => this.#calls.onTouch(path),
      landed: ({ path, after }) => this.#lock.onCommitted(path, after),
    })
    this.#agent = new SessionAgent(deps.agent, (agent) => this.#store.workedOnBy(agent), deps.keepAgent)
    this.#questions = new SessionQuestions({ ...deps, store: this.#store, intent: () => this.#intent.id })
    this.#journal = new LedgerOutbox(deps.id, () => this.agent, deps.ledger, this.#store, tool)
    this.#policy = createPolicy({
      intents: memoizePerTick(() => deps.registry.state()),
      policy: memoizePerTick(deps.policyFile),
      tool,
      activeIntentId: () => this.#intent.id,
      base: (path) => this.#lock.check(path),
      answers: () => this.#questions.answers,
    })
    this.#intent = new SessionIntent({ ...deps, journal: this.#journal, settings: () => this.#policy.settings(), tool })
    const rooms = { policy: this.#policy, journal: this.#journal, store: this.#store, lock: this.#lock }
    this.#guard = new SessionGuard({ ...deps, ...rooms, questions: this.#questions, tool })
    this.#snapshots = new SessionSnapshots(this.#store, this.#policy)
    this.#view = sessionView(deps, { ...rooms, guard: this.#guard, takeIn: this.#takeIn })
    this.terminal = new SessionTerminal({
      id: this.id,
      layout: deps.layout,
      view: this.#view,
      ...rooms,
      changesSince: (since, isWanted) => this.#snapshots.changes({ since }, isWanted),
      takeIn: this.#takeIn,
      admission: new SessionAdmission(this.#policy, this.#questions, this.#takeIn, this.#denied),
      record: (data) => this.#record('command', { data }),
      inCall: (work, isNew) =>
        this.#calls.current() && isNew !== true ? work() : this.toolCall({ tool: 'exec', kind: 'command' }, work),
      open: () => this.#open(),
      intent: () => this.#intent.id,
      said: this.#guard,
      gitHead: () => openVcs(deps.layout.root)()?.revision,
    })
    this.#format = new SessionFormat({
      policy: this.#policy,
      exec: this.terminal.own,
      overlay: () => this.#store.overlay,
      inform: (news) => this.#guard.inform(news),
    })
    const look: SyncState['look'] = (command, options) => this.terminal.look(command, options)
    this.fs = sessionFs({ view: this.#view, denied: this.#denied }, { tool, look })
    beginOrClose(this.#store, this.#takeIn)
  }

  get agent(): AgentInfo | undefined {
    return this.#agent.known
  }

  /** The merged view itself, for reviews in the same process. */
  get store(): StageStore {
    return this.#store
  }

  get intent(): Intent | undefined {
    return this.#intent.current
  }

  get gate(): GateSettings {
    return this.#policy.gate()
  }

  async selectIntent(id: string | null): Promise<IntentContext> {
    this.#open()
    return id === null ? this.#intent.clear() : this.#intent.select(id)
  }

  async changes(of?: ChangesOf): Promise<ChangeSet> {
    this.#open()
    this.#takeIn()
    if (of) return this.#snapshots.changes(of)
    return changeSetOf(this.#store, this.#policy, this.#deps.reviews.read())
  }

  async revert(paths?: string[]): Promise<void> {
    this.#open()
    this.#takeIn()
    const mine = stagedBelow(this.#store, this.#deps.layout.root, paths)
    this.#guard.reverting(mine.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])))
    this.#store.drop(mine)
    this.#store.sync()
  }

  async feedback(): Promise<Feedback[]> {
    this.#open()
    this.#takeIn()
    return this.#guard.feedback()
  }

  async explain(path: string, op: 'read' | 'write' | 'remove'): Promise<Explanation> {
    this.#open()
    const name = relativeTo(this.#deps.layout.root, path)
    return this.#policy.explain({ effect: op === 'write' ? 'put' : op, path: name, asked: name })
  }

  async toolCall<T>(call: ToolCall, run: () => Promise<T> | T): Promise<T> {
    this.#open()
    this.#takeIn()
    return this.#calls.run(
      call,
      {
        journal: this.#journal,
        snapshots: this.#snapshots,
        judge: (writes: NonNullable<ToolCall['writes']>) => judgeWrites(this.#view, writes, this.#denied),
        declare: (id: string, declared: MutationClass) => declare(this.#store, id, declared),
        requiresClass: () => this.gate.requireMutationClass,
        withoutPath: () => this.#policy.withoutPath(),
        denied: this.#denied,
        merge: (paths: readonly string[]) => this.#merge(paths),
        answered: async () => {
          const answered = await this.#questions.waitForAnswers()
          if (answered) this.#takeIn()
          return answered
        },
        format: (context: ToolContext, paths: ReadonlySet<string>) => this.#format.after(context, paths),
        ended: () => this.#questions.markUsed(),
        intent: () => this.#intent.id,
        isClosed: () => this.#closed,
        sync: () => this.#store.sync(),
      },
      run,
    )
  }

  async flush(): Promise<void> {
    this.#open()
    this.#store.sync()
    this.#takeIn()
    await this.#journal.drain()
    await this.#deps.versions.look()
    this.#store.sync()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    try {
      await this.terminal.close()
      await this.flush()
      await this.#intent.clear()
    } finally {
      this.#view.close(`Session ${this.id}`)
      this.#closed = true
      this.#guard.closed = true
      this.#store.close()
      this.#deps.lease?.release()
      this.#deps.closed()
    }
  }

  async requestScope(globs: string[], why: string): Promise<ScopeRequest> {
    this.#open()
    this.#takeIn()
    const request = this.#questions.requestScope(globs, why)
    this.#store.sync()
    return request
  }

  async recordLesson(lesson: string, context?: string): Promise<void> {
    this.#open()
    this.#takeIn()
    const deps = { ...this.#deps, store: this.#store, journal: this.#journal, intent: this.#intent.id }
    await recordLesson(deps, lesson, context)
  }

  async snapshot(name?: string): Promise<Snapshot> {
    this.#open()
    return this.#snapshots.take(name)
  }

  async snapshots(): Promise<Snapshot[]> {
    this.#open()
    return this.#snapshots.list()
  }

  async dropSnapshot(id: string): Promise<void> {
    this.#open()
    this.#snapshots.drop(id)
    this.#store.sync()
  }

  async readSnapshot(id: string, path: string): Promise<Buffer> {
    this.#open()
    return this.#snapshots.read(id, relativeTo(this.#deps.layout.root, path))
  }

  async travel(id: string): Promise<Travelled> {
    this.#open()
    const travelled = this.#snapshots.travel(id, this.#takeIn())
    await this.#record('travel', { data: { to: id, left: travelled.left.id, kept: travelled.kept } })
    this.#store.sync()
    return travelled
  }

  /** A closed session has no log any more: its refusals are told to the caller only. */
  readonly #denied = (denial: Denial): void => {
    if (!this.#closed) this.#journal.recordDenial(denial, this.#intent.id)
  }

  async #merge(paths: readonly string[]): Promise<void> {
    const { reviews } = this.#deps
    const by = { name: this.agent?.model ?? this.agent?.tool ?? this.id }
    const merged = await mergeDrifted({ view: this.#view, store: this.#store, reviews, by }, paths)
    if (merged.length === 0) return
    this.#takeIn()
    await this.#record('drift_merged', { paths: merged })
  }

  #record(type: TraceType, more: Partial<RecordDraft>): Promise<void> {
    return this.#journal.append(type, this.#intent.id, { reqId: this.#calls.current()?.callId ?? null, ...more })
  }

  readonly #takeIn = (): readonly ReviewRecord[] => {
    const reviews = this.#deps.reviews.read()
    this.#store.settle(reviews)
    this.#guard.hear(reviews)
    return reviews
  }

  #open(): void {
    if (this.#closed) throw new EscrowError('session_busy', `Session ${this.id} is closed. Open it again.`)
  }
}
