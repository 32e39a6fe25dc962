// Long because: a running command, what it is told and what it leaves behind share one state.
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
import { childrenOf, sendSignal } from '../host/child.js'
import {
  type CommandEnd,
  type MountedHome,
  OutputRing,
  PROCESSES,
  quarantine,
  summaryOf,
  takeHome,
} from '../terminal/index.js'
import { type AdmittedCommand, type CommandLine, type ExecDeps, type ExecTerms, networkOf } from './admitted-command.js'
import { CommandMount, type IngestedEffects } from './command-mount.js'
import { proposedCommits } from './proposed-commits.js'

/** Bytes of output that can still be read. */
const OUTPUT = 1 << 20
/** Refused writes that an agent is told of one by one while it runs; its end counts all of them. */
const MOST_REFUSED = 100
const NOT_STAGED = 'It is not staged, though you see it here as you wrote it: it is kept apart for a person to decide.'
/** Milliseconds a command has to end by itself. */
const GRACE = 5_000

export interface Starting {
  readonly id: string
  readonly command: CommandLine
  readonly options: StartOptions
  /** It has our own terminal, and is in the process group we are in. */
  readonly isAttached: boolean
}

export type Idle = <T>(work: (ground: CommandMount | undefined) => T) => Promise<T>

/** A command on a ground of its own: others go on beside it, and it sees the stage as it was when it was started. */
export class BackgroundCommand implements RunningCommand {
  readonly id: string
  readonly command: CommandLine
  readonly startedAt = new Date().toISOString()
  readonly #ring = new OutputRing(OUTPUT)
  readonly #abort = new AbortController()
  readonly #over: Promise<CommandResult>
  readonly #began: Promise<unknown>
  #init: number | undefined
  #isOver = false
  #isLooking = false
  /** Refusals it told of that are only counted. */
  #unheard = { more: 0, unread: 0 }
  /** Writes that were refused, by the key of what is said of each; undefined once it was said. */
  readonly #refused = new Map<string, Feedback | undefined>()
  /** What reviewers said, as its hooks were last given it. */
  #offered = ''

  private constructor(
    private readonly deps: ExecDeps,
    private readonly ground: CommandMount,
    private readonly terms: AdmittedCommand,
    private readonly starting: Starting,
    /** The stage as it began. */
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
    // Whoever waits for it is told; nobody has to.
    this.#over.catch(() => undefined)
    this.#began.catch(() => undefined)
  }

  /** @param idle gives the ground of `exec` while nothing runs there. */
  static async make(deps: ExecDeps, terms: ExecTerms, starting: Starting, idle: Idle): Promise<BackgroundCommand> {
    const { id, command, options } = starting
    const { client } = options
    const admitted = await terms.admit(command, options)
    const ground = await CommandMount.open(deps, true, options.isolation)
    let home: MountedHome | undefined
    try {
      home = await takeHome({ client, home: options.home }, deps.layout.root, deps.layout.clients)
      const where = { ...networkOf(admitted, ground.isolation), isolation: ground.isolation }
      await deps.record({ command, ...admitted.admitted, background: id, exit_code: null, ...where, started: true })
      await idle((other) => {
        deps.syncExternal()
        ground.seed(terms.closedPaths(admitted))
        if (other) ground.bring(other)
      })
      return new BackgroundCommand(deps, ground, admitted, starting, deps.store.createSnapshot({}), home)
    } catch (error) {
      await ground.close()
      home?.release()
      throw error
    }
  }

  get state(): 'running' | 'ended' {
    return this.#isOver ? 'ended' : 'running'
  }

  /** Resolves once it runs. Rejects where it could not be started. */
  async whenStarted(): Promise<void> {
    await this.#began
  }

  read(since = 0): CommandOutput {
    return this.#ring.read(since, this.#isOver)
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): boolean {
    if (this.#isOver || this.#init === undefined) return false
    const own = this.ground.isolation === 'none' ? [this.#init] : childrenOf(this.#init)
    const to = this.starting.isAttached ? own : [-this.#init]
    return to.map((pid) => sendSignal(pid, signal)).some((isSent) => isSent)
  }

  async stop(grace = GRACE): Promise<CommandResult> {
    this.kill('SIGTERM')
    const late = setTimeout(() => this.#abort.abort(), grace)
    return this.#over.finally(() => clearTimeout(late))
  }

  /** At once. */
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
    if (this.#isOver || this.ground.staleness()) return
    this.deps.syncExternal()
    this.ground.refresh()
  }

  /** Takes in what is new, if anything is. What cannot be taken in now is told when it ends. */
  #look(): void {
    if (this.#isOver || this.#isLooking) return
    this.#isLooking = true
    this.#lookAt()
      .catch(() => undefined)
      .finally(() => {
        this.#isLooking = false
      })
  }

  async #lookAt(): Promise<void> {
    this.#hear()
    if (this.ground.staleness() || !this.ground.hasNews()) return
    await this.deps.inCall(async () => {
      if (!this.#isOver) this.#recordRefused(this.ground.take(this.ground.findEffects(true)))
    }, true)
    if (this.starting.isAttached) this.#offer()
  }

  #hear(): void {
    const { denials, delivered, more, unread } = this.ground.told()
    this.deps.journal.recordReported(denials, this.deps.state.intentId)
    this.deps.syncExternal()
    this.#unheard = { more: this.#unheard.more + more, unread: this.#unheard.unread + unread }
    if (!this.starting.isAttached) return
    this.deps.feedback.markDelivered(delivered)
    for (const key of delivered) if (this.#refused.has(key)) this.#refused.set(key, undefined)
    this.#offer()
  }

  /** An agent that runs whole in the mount calls nobody outside: its client's hooks give it what reviewers say. */
  #offer(): void {
    const refused = [...this.#refused].flatMap(([key, feedback]) => (feedback ? [{ keys: [key], feedback }] : []))
    const all = [...this.deps.feedback.undelivered(), ...refused]
    const words = all.length === 0 ? '' : JSON.stringify(all)
    if (words === this.#offered) return
    this.#offered = words
    this.ground.offer(words)
  }

  /** What it wrote where it may not: it sees that as written, so it has to be told. */
  #recordRefused({ refused }: IngestedEffects): void {
    const keyOf = (path: string) => `refused:${path}`
    for (const { path, message } of refused) {
      const key = keyOf(path)
      // What is in a directory that was refused is no news.
      const isKnown = [path, ...ancestorsOf(asRelPath(path))].some((way) => this.#refused.has(keyOf(way)))
      if (isKnown || this.#refused.size >= MOST_REFUSED) continue
      this.#refused.set(key, { path, kind: 'refused', reason: `${message} ${NOT_STAGED}` })
    }
  }

  #ingest(): Ingested {
    const { store, syncExternal, changesSince } = this.deps
    syncExternal()
    const stale = this.ground.staleness()
    if (stale) throw stale
    const before = store.createSnapshot({})
    try {
      const taken = this.ground.take(this.ground.findEffects(true))
      return { ...toTaken(taken, changesSince(before.id)), unsettled: taken.unsettled }
    } finally {
      store.deleteSnapshot(before)
    }
  }

  async #run(begun: (init: number) => void): Promise<CommandResult> {
    const { ground, terms, deps, home } = this
    const env = { ...terms.env, ...home.env }
    const { isAttached: terminal, options } = this.starting
    const { timeout, memory, stdin, onOutput, every } = options
    const looks = every === undefined ? undefined : setInterval(() => this.#look(), every)
    try {
      const end = await ground.run({
        ...terms,
        env,
        home,
        timeout,
        memory,
        stdin,
        signal: this.#abort.signal,
        processes: PROCESSES,
        keep: 0,
        terminal,
        onOutput: (chunk, stream) => {
          this.#ring.add(chunk)
          onOutput?.(chunk, stream)
        },
        onBegin: (init) => {
          this.#init = init
          begun(init)
        },
      })
      this.#isOver = true
      return await deps.inCall(() => this.#finish(end), true)
    } finally {
      this.#isOver = true
      clearInterval(looks)
      if (deps.store.overlay.stage.snapshots.get(this.before.id)) deps.store.deleteSnapshot(this.before)
      await ground.close()
      home.release()
    }
  }

  async #finish(end: CommandEnd): Promise<CommandResult> {
    const { deps, ground, id, command } = this
    this.#hear()
    deps.journal.recordUnreported(this.#unheard, deps.state.intentId)
    const last = deps.store.createSnapshot({})
    const taken = end.began ? this.#last() : { refused: [], kept: [], unsettled: [] }
    quarantine(deps.layout.session(deps.id).quarantine, taken.refused, deps.state.intentId)
    // The session may have dropped the snapshot it began with.
    const since = deps.store.overlay.stage.snapshots.get(this.before.id) ?? last
    const effects = deps.changesSince(since.id, (path) => ground.hasIngested(path))
    deps.store.deleteSnapshot(last)
    const { exitCode, ended, unreachable } = end
    const { isolation } = ground
    const hasCommitted = taken.refused.some(({ effect }) => effect.kind === 'git' && effect.path === '.git')
    const commits = hasCommitted ? await proposedCommits(ground, this.terms, deps.gitHead()) : []
    const more = {
      ...(ended && { ended }),
      ...(unreachable && { unreachable }),
      ...(commits.length > 0 && { commits }),
    }
    const result = { exitCode, ...toTaken(taken, effects), isolation, ...more }
    await deps.record({
      command,
      background: id,
      exit_code: exitCode,
      isolation,
      ...networkOf(this.terms, isolation),
      effects: effects.changes.map(({ path }) => path),
      refused: result.refused,
      kept: result.kept,
      ...(ended && { ended }),
      ...(unreachable && { unreachable: [...unreachable] }),
      ...(commits.length > 0 && { commits: commits.map(({ paths, ...commit }) => ({ ...commit, paths: [...paths] })) }),
    })
    return result
  }

  /** What is left when it has ended: where its mount is too old, all of it is kept for a person. */
  #last(): IngestedEffects {
    const found = this.ground.findEffects(false)
    const stale = this.ground.staleness()
    if (!stale) return this.ground.take(found)
    const refused = found.effects.flatMap((effect) =>
      effect.kind === 'dir' && !effect.isNew
        ? []
        : [{ path: effect.path, reason: stale.reason, message: stale.message, effect }],
    )
    return { refused, kept: [], unsettled: [] }
  }
}

function toTaken({ refused, kept }: IngestedEffects, effects: ChangeSet) {
  const refusals = refused.map(({ path, reason, message }) => ({ path, reason, message }))
  return { effects, refused: refusals, kept, summary: summaryOf(effects, refused, kept) }
}
