// Long because: running a command, messaging it and ingesting its effects share one state.
import { ancestorsOf, asRelPath, type Mark } from '../../overlay/index.js'
import type {
  ChangeSet,
  CommandOutput,
  CommandResult,
  Feedback,
  Ingested,
  RunningCommand,
  StartOptions,
} from '../core/api.js'
import { childrenOf, sendSignal } from '../os/child.js'
import {
  type CommandEnd,
  type MountedHome,
  type NetworkUse,
  networkSummary,
  OutputRing,
  PROCESSES,
  quarantine,
  summaryOf,
  takeHome,
} from '../terminal/index.js'
import type { AdmittedCommand, CommandGate, CommandLine, ExecDeps } from './command-gate.js'
import { CommandMount, type IngestedEffects } from './command-mount.js'
import { containedBy, containmentSummary, isolationOf } from './contained-by.js'
import { gitRecord, gitRefusals, gitResult, gitSummary } from './git-report.js'
import { namingRefused } from './naming-refused.js'
import { networkRecord, networkUse } from './network-grant.js'
import type { GitOutcome } from './private-git.js'

/** Bytes of output that are kept for reading. */
const MAX_OUTPUT = 1 << 20
/** Largest number of refused writes that are reported to a running agent. The result lists all of them. */
const MAX_REFUSED = 100
const NOT_STAGED = 'It is not staged. You still see it here as you wrote it; a person decides about it.'
/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000

export interface Starting {
  readonly id: string
  readonly command: CommandLine
  readonly options: StartOptions
  /** It has our terminal, and runs in our process group. */
  readonly isAttached: boolean
}

export type WhenIdle = <T>(work: (mount: CommandMount | undefined) => T) => Promise<T>

/** A command with a mount of its own: other commands run at the same time, and it sees the stage as of its start. */
export class BackgroundCommand implements RunningCommand {
  readonly id: string
  readonly command: CommandLine
  readonly startedAt = new Date().toISOString()
  readonly #ring = new OutputRing(MAX_OUTPUT)
  readonly #abort = new AbortController()
  readonly #over: Promise<CommandResult>
  readonly #began: Promise<unknown>
  #init: number | undefined
  #isOver = false
  #isPolling = false
  /** Counts of denials it reported beyond the limits of the spool. */
  #unreported = { more: 0, unread: 0 }
  /** Refused writes by feedback key; undefined once the feedback was delivered. */
  readonly #refused = new Map<string, Feedback | undefined>()
  /** The feedback that its hooks can read now. */
  #published = ''

  private constructor(
    private readonly deps: ExecDeps,
    private readonly mount: CommandMount,
    private readonly admitted: AdmittedCommand,
    private readonly starting: Starting,
    /** The stage at its start. */
    private readonly before: Mark,
    private readonly home: MountedHome,
  ) {
    this.id = starting.id
    this.command = starting.command
    let whenStarted: (init: number) => void = () => undefined
    const init = new Promise<number>((resolve) => {
      whenStarted = resolve
    })
    this.#over = this.#run(whenStarted)
    this.#began = Promise.race([init, this.#over])
    // Failures reach the waiting callers. Without a caller, a failure must not become an unhandled rejection.
    this.#over.catch(() => undefined)
    this.#began.catch(() => undefined)
  }

  /** @param whenIdle lends the mount of `exec` while no command runs on it. */
  static async make(
    deps: ExecDeps,
    gate: CommandGate,
    starting: Starting,
    whenIdle: WhenIdle,
  ): Promise<BackgroundCommand> {
    const { id, command, options } = starting
    const { client } = options
    const admitted = await gate.admit(command, options)
    const mount = await CommandMount.open(deps, true, { isolation: options.isolation, network: admitted.network })
    let home: MountedHome | undefined
    try {
      const tree = mount.containment?.tree ?? 'overlay'
      home = await takeHome(
        { client, home: options.home },
        { root: deps.layout.root, layersDir: deps.layout.clients, tree },
      )
      const where = containedBy(mount, admitted)
      await deps.record({ command, ...admitted.admission, background: id, exit_code: null, ...where, started: true })
      await whenIdle((other) => {
        deps.syncExternal()
        mount.seed(gate.closedPaths(admitted))
        if (other) mount.copyKept(other)
      })
      await mount.followGit(admitted)
      return new BackgroundCommand(deps, mount, admitted, starting, deps.store.createSnapshot({}), home)
    } catch (error) {
      await mount.close()
      home?.release()
      throw error
    }
  }

  get state(): 'running' | 'ended' {
    return this.#isOver ? 'ended' : 'running'
  }

  /** Resolves once the command runs. Rejects if it cannot be started. */
  async whenStarted(): Promise<void> {
    await this.#began
  }

  read(since = 0): CommandOutput {
    return this.#ring.read(since, this.#isOver)
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): boolean {
    if (this.#isOver || this.#init === undefined) return false
    const processes = this.mount.startsWith === 'command' ? [this.#init] : childrenOf(this.#init)
    const to = this.starting.isAttached ? processes : [-this.#init]
    return to.map((pid) => sendSignal(pid, signal)).some((isSent) => isSent)
  }

  async stop(grace = GRACE_MS): Promise<CommandResult> {
    this.kill('SIGTERM')
    const late = setTimeout(() => this.#abort.abort(), grace)
    return this.#over.finally(() => clearTimeout(late))
  }

  /** Kills it without a grace period. */
  end(): Promise<CommandResult> {
    this.#abort.abort()
    return this.#over
  }

  wait(): Promise<CommandResult> {
    return this.#over
  }

  async ingest(): Promise<Ingested> {
    return this.deps.inCall(async () => (this.#isOver ? { ...(await this.#over), unsettled: [] } : this.#ingest()))
  }

  async refresh(): Promise<void> {
    if (this.#isOver || this.mount.staleness()) return
    this.deps.syncExternal()
    this.mount.refresh()
  }

  /** Ingests new effects, if there are any. A failure is reported when the command ends. */
  #poll(): void {
    if (this.#isOver || this.#isPolling) return
    this.#isPolling = true
    this.#ingestNews()
      .catch(() => undefined)
      .finally(() => {
        this.#isPolling = false
      })
  }

  async #ingestNews(): Promise<void> {
    this.#readSpool()
    if (this.mount.staleness() || !this.mount.hasNewEffects()) return
    await this.deps.inCall(async () => {
      if (!this.#isOver) this.#recordRefused(this.mount.ingest(this.mount.findEffects(true)))
    }, true)
    if (this.starting.isAttached) this.#publishFeedback()
  }

  #readSpool(): void {
    const { denials, delivered, more, unread } = this.mount.readSpool()
    this.deps.journal.recordReported(denials, this.deps.state.intentId)
    this.deps.syncExternal()
    this.#unreported = { more: this.#unreported.more + more, unread: this.#unreported.unread + unread }
    if (!this.starting.isAttached) return
    this.deps.feedback.markDelivered(delivered)
    for (const key of delivered) if (this.#refused.has(key)) this.#refused.set(key, undefined)
    this.#publishFeedback()
  }

  /** An agent inside the mount cannot reach the session, so its client's hooks read the feedback from a file. */
  #publishFeedback(): void {
    const refused = [...this.#refused].flatMap(([key, feedback]) => (feedback ? [{ keys: [key], feedback }] : []))
    const all = [...this.deps.feedback.undelivered(), ...refused]
    const json = all.length === 0 ? '' : JSON.stringify(all)
    if (json === this.#published) return
    this.#published = json
    this.mount.publishFeedback(json)
  }

  /** The command still sees its refused writes in the mount, so they are reported as feedback. */
  #recordRefused({ refused }: IngestedEffects): void {
    const keyOf = (path: string) => `refused:${path}`
    for (const { path, message } of refused) {
      const key = keyOf(path)
      // The report on a refused directory covers its contents.
      const isKnown = [path, ...ancestorsOf(asRelPath(path))].some((way) => this.#refused.has(keyOf(way)))
      if (isKnown || this.#refused.size >= MAX_REFUSED) continue
      this.#refused.set(key, { path, kind: 'refused', reason: `${message} ${NOT_STAGED}` })
    }
  }

  #ingest(): Ingested {
    const { store, syncExternal, changesSince } = this.deps
    syncExternal()
    const stale = this.mount.staleness()
    if (stale) throw stale
    const before = store.createSnapshot({})
    try {
      const ingested = this.mount.ingest(this.mount.findEffects(true))
      return { ...toResult(this.mount, ingested, changesSince(before.id)), unsettled: ingested.unsettled }
    } finally {
      store.deleteSnapshot(before)
    }
  }

  async #run(onBegin: (init: number) => void): Promise<CommandResult> {
    const { mount, admitted, deps, home } = this
    const env = { ...admitted.env, ...home.env }
    const { isAttached: terminal, options } = this.starting
    const { timeout, memory, stdin, onOutput, every } = options
    const polling = every === undefined ? undefined : setInterval(() => this.#poll(), every)
    try {
      const end = await mount.run({
        ...admitted,
        env,
        home,
        timeout,
        memory,
        stdin,
        signal: this.#abort.signal,
        processes: PROCESSES,
        keepBytes: 0,
        terminal,
        onOutput: (chunk, stream) => {
          this.#ring.add(chunk)
          onOutput?.(chunk, stream)
        },
        onBegin: (init) => {
          this.#init = init
          onBegin(init)
        },
      })
      this.#isOver = true
      return await deps.inCall(() => this.#finish(end), true)
    } finally {
      this.#isOver = true
      clearInterval(polling)
      if (deps.store.overlay.stage.snapshots.get(this.before.id)) deps.store.deleteSnapshot(this.before)
      await mount.close()
      home.release()
    }
  }

  async #finish(end: CommandEnd): Promise<CommandResult> {
    const { deps, mount, id, command } = this
    await mount.prepare('effects')
    this.#readSpool()
    deps.journal.recordUnreported(this.#unreported, deps.state.intentId)
    const last = deps.store.createSnapshot({})
    const ingested = end.began ? this.#ingestRemaining() : { refused: [], kept: [], unsettled: [] }
    quarantine(deps.layout.session(deps.id).quarantine, ingested.refused, deps.state.intentId)
    // The session may have dropped the first snapshot.
    const since = deps.store.overlay.stage.snapshots.get(this.before.id) ?? last
    const effects = deps.changesSince(since.id, (path) => mount.hasIngested(path))
    deps.store.deleteSnapshot(last)
    const { exitCode, ended } = end
    const git = end.began ? await mount.keepGit(this.admitted) : undefined
    const details = { ...isolationOf(mount), ...(ended && { ended }), ...networkUse(end) }
    const result = { exitCode, ...toResult(mount, ingested, effects, { git, end }), ...details }
    const entry = {
      command,
      background: id,
      exit_code: exitCode,
      ...containedBy(mount, this.admitted),
      effects: effects.changes.map(({ path }) => path),
      refused: result.refused,
      kept: result.kept,
      ...(ended && { ended }),
      ...networkRecord(end),
      ...gitRecord(git),
    }
    await namingRefused(result.refused, () => deps.record(entry))
    return result
  }

  /** Ingests the rest after its end. If the mount is stale, the rest goes to the quarantine. */
  #ingestRemaining(): IngestedEffects {
    const found = this.mount.findEffects(false)
    const stale = this.mount.staleness()
    if (!stale) return this.mount.ingest(found)
    const refused = found.effects.flatMap((effect) =>
      effect.kind === 'dir' && !effect.isNew
        ? []
        : [{ path: effect.path, reason: stale.reason, message: stale.message, effect }],
    )
    return { refused, kept: [], unsettled: [] }
  }
}

function toResult(
  mount: CommandMount,
  { refused, kept }: IngestedEffects,
  effects: ChangeSet,
  { git, end = {} }: { readonly git?: GitOutcome | undefined; readonly end?: NetworkUse } = {},
) {
  const refusals = [...refused.map(({ path, reason, message }) => ({ path, reason, message })), ...gitRefusals(git)]
  const network = networkSummary(end)
  const lines = [summaryOf(effects, refusals, kept), ...network, ...gitSummary(git), ...containmentSummary(mount)]
  const summary = lines.join('\n')
  return { effects, refused: refusals, kept, summary, ...gitResult(git) }
}
