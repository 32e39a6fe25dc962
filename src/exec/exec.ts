import type { ChangeSet, ExecOptions, ExecResult } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { SerialQueue } from '../core/serial-queue.js'
import { type CommandEnd, type Effect, networkSummary, PROCESSES, quarantine, summaryOf } from '../terminal/index.js'
import type { AdmissionRecord } from './admission.js'
import type { AdmittedCommand, CommandGate, CommandLine, ExecDeps } from './command-gate.js'
import { CommandMount, type IngestedEffects } from './command-mount.js'
import { containedBy, containmentSummary, isolationOf, renameSummary } from './contained-by.js'
import { gitRecord, gitRefusals, gitResult, gitSummary } from './git-report.js'
import { namingRefused } from './naming-refused.js'
import { networkRecord, networkUse } from './network-grant.js'
import type { PlaceRequest } from './open-place.js'
import type { GitOutcome } from './private-git.js'

/** Options for a command that escrowfs runs itself. */
export interface InternalRun {
  /** Replaces the admission of an agent's commands. */
  readonly admit?: () => Promise<AdmissionRecord>
  /** Selects the effects to stage; the others are dropped. */
  readonly accepts?: (effect: Effect, end: CommandEnd) => boolean
  /** Whether the command is recorded in the ledger; true by default. */
  readonly recorded?: boolean
}

/** The foreground commands of a session, one at a time: each sees the stage, and its effects are ingested at its end. */
export class SessionExec {
  #mount: Promise<CommandMount> | undefined
  readonly #queue = new SerialQueue()
  #isClosed = false

  constructor(
    private readonly deps: ExecDeps,
    private readonly gate: CommandGate,
  ) {}

  run(command: CommandLine, options: ExecOptions, internal: InternalRun = {}): Promise<ExecResult> {
    // `close` waits for the queued commands. A later one would open a mount that nobody closes.
    if (this.#isClosed)
      return Promise.reject(new EscrowError('session_busy', 'The session is closing, so no command starts.'))
    return this.#queue.run(() => this.#run(command, options, internal))
  }

  /** Runs work with the mount, if there is one, between two commands. */
  whenIdle<T>(work: (mount: CommandMount | undefined) => T): Promise<T> {
    return this.#queue.run(async () => work(await this.#mount?.catch(() => undefined)))
  }

  /** Waits for the running command, then closes the mount. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.deps.admission.close()
    await this.#queue.idle()
    await this.#closeMount()
  }

  async #run(command: CommandLine, options: ExecOptions, internal: InternalRun): Promise<ExecResult> {
    const admitted = await this.gate.admit(command, options, internal)
    const mount = await this.#openMount({ isolation: options.isolation, network: admitted.network })
    mount.assertAllowed(options.isolation)
    const { store } = this.deps
    await mount.prepare('seed')
    this.deps.syncExternal()
    let isSound = false
    try {
      mount.seed(this.gate.closedPaths(admitted))
      await mount.followGit(admitted)
      const { timeout, memory, stdin, signal, onOutput } = options
      const end = await mount.run({ ...admitted, timeout, memory, stdin, signal, onOutput, processes: PROCESSES })
      await mount.prepare('effects')
      this.#recordSpool(mount)
      mount.stopTracking()
      this.deps.syncExternal()
      const before = store.createSnapshot({})
      try {
        const accepts = (effect: Effect) => internal.accepts?.(effect, end) !== false
        const ingested = end.began ? this.#ingest(mount, accepts) : NOTHING
        if (internal.accepts !== undefined) mount.dropGit()
        const git = end.began ? await mount.keepGit(admitted) : undefined
        isSound = true
        return await namingRefused(ingested.refused, () =>
          this.#recordCommand(command, end, {
            ...ingested,
            effects: this.deps.changesSince(before.id),
            mount,
            admitted,
            git,
            recorded: internal.recorded !== false,
          }),
        )
      } finally {
        store.deleteSnapshot(before)
      }
    } finally {
      mount.stopTracking()
      // Effects left in the layer would be attributed to the next command.
      if (!isSound) await this.#closeMount()
    }
  }

  #recordSpool(mount: CommandMount): void {
    const { journal, state } = this.deps
    const reports = mount.readSpool()
    journal.recordReported(reports.denials, state.intentId)
    journal.recordUnreported(reports, state.intentId)
  }

  /** Closes the mount; the next command opens a new one. */
  async #closeMount(): Promise<void> {
    const mount = await this.#mount?.catch(() => undefined)
    this.#mount = undefined
    await mount?.close()
  }

  #openMount(request: PlaceRequest): Promise<CommandMount> {
    this.#mount ??= CommandMount.open(this.deps, false, request)
    return this.#mount.then(
      async (mount) => {
        if (mount.isUsableFor(request)) return mount
        await mount.close()
        this.#mount = CommandMount.open(this.deps, false, request)
        return this.#mount
      },
      (error) => {
        this.#mount = undefined
        throw error
      },
    )
  }

  #ingest(mount: CommandMount, accepts: (effect: Effect) => boolean): IngestedEffects {
    const found = mount.findEffects(false)
    const ingested = mount.ingest({ ...found, effects: found.effects.filter(accepts) })
    quarantine(this.deps.layout.session(this.deps.id).quarantine, ingested.refused, this.deps.state.intentId)
    mount.clear(found.effects)
    return ingested
  }

  async #recordCommand(
    command: CommandLine,
    end: CommandEnd,
    { effects, refused, kept, mount, admitted, git, recorded }: IngestedEffects & CommandOutcome,
  ): Promise<ExecResult> {
    const refusals = [...refused.map(({ path, reason, message }) => ({ path, reason, message })), ...gitRefusals(git)]
    const entry = {
      command,
      ...admitted.admission,
      exit_code: end.exitCode,
      ...(end.ended && { ended: end.ended }),
      ...containedBy(mount, admitted),
      ...networkRecord(end),
    }
    const paths = effects.changes.map(({ path }) => path)
    if (recorded) await this.deps.record({ ...entry, effects: paths, refused: refusals, kept, ...gitRecord(git) })
    const { exitCode, stdout, stderr, truncated, ended } = end
    return {
      exitCode,
      stdout,
      stderr,
      effects,
      refused: refusals,
      kept,
      ...isolationOf(mount),
      ...networkUse(end),
      ...(truncated && { truncated }),
      ...(ended && { ended }),
      ...gitResult(git),
      summary: [
        summaryOf(effects, refusals, kept),
        ...networkSummary(end),
        ...gitSummary(git),
        ...renameSummary(mount, end),
        ...containmentSummary(mount),
      ].join('\n'),
    }
  }
}

/** The outcome of a command, for its record and result. */
interface CommandOutcome {
  readonly effects: ChangeSet
  readonly mount: CommandMount
  readonly admitted: AdmittedCommand
  readonly git: GitOutcome | undefined
  readonly recorded: boolean
}

const NOTHING: IngestedEffects = { refused: [], kept: [], unsettled: [] }
