import type { ChangeSet, ExecOptions, ExecResult } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { type CommandEnd, type Effect, PROCESSES, quarantine, summaryOf } from '../terminal/index.js'
import type { Admitted } from './admission.js'
import { type AdmittedCommand, type CommandLine, type ExecDeps, type ExecTerms, networkOf } from './admitted-command.js'
import { CommandMount, type IngestedEffects } from './command-mount.js'

/** A command of our own making. */
export interface OwnRun {
  /** In the place of the admission of an agent's commands. */
  readonly admit?: () => Promise<Admitted>
  /** Of what it did, what is staged; the rest is let go. */
  readonly lands?: (effect: Effect, end: CommandEnd) => boolean
  /** Whether the ledger is told of it; it is unless this says no. */
  readonly recorded?: boolean
}

/** The commands of a session: each sees the stage, and what it did is taken into the stage when it is over. */
export class SessionExec {
  #ground: Promise<CommandMount> | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(
    private readonly deps: ExecDeps,
    private readonly terms: ExecTerms,
  ) {}

  run(command: CommandLine, options: ExecOptions, own: OwnRun = {}): Promise<ExecResult> {
    // One that waits still gets its turn: whoever closes waits for it. A later one would open layers nobody takes down.
    if (this.#isClosed) return Promise.reject(new EscrowError('session_busy', 'The session is being closed.'))
    const turn = this.#turn.then(() => this.#run(command, options, own))
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  /** Gives what commands run on, if there is any, when none is under way; the next one waits for the work. */
  idle<T>(work: (ground: CommandMount | undefined) => T): Promise<T> {
    const turn = this.#turn.then(async () => work(await this.#ground?.catch(() => undefined)))
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  /** Waits for the command under way, then takes the layers down. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.deps.admission.close()
    await this.#turn
    await this.#drop()
  }

  async #run(command: CommandLine, options: ExecOptions, own: OwnRun): Promise<ExecResult> {
    const terms = await this.terms.admit(command, options, own)
    const ground = await this.#mounts(options.isolation)
    ground.admit(options.isolation)
    const { store } = this.deps
    this.deps.syncExternal()
    let isSound = false
    try {
      ground.seed(this.terms.closedPaths(terms))
      const { timeout, memory, stdin, signal, onOutput } = options
      const end = await ground.run({ ...terms, timeout, memory, stdin, signal, onOutput, processes: PROCESSES })
      this.#hear(ground)
      ground.settle()
      this.deps.syncExternal()
      const before = store.createSnapshot({})
      try {
        const lands = (effect: Effect) => own.lands?.(effect, end) !== false
        const taken = end.began ? this.#land(ground, lands) : NOTHING
        isSound = true
        return await this.#recordCommand(command, end, {
          ...taken,
          effects: this.deps.changesSince(before.id),
          ground,
          terms,
          recorded: own.recorded !== false,
        })
      } finally {
        store.deleteSnapshot(before)
      }
    } finally {
      ground.settle()
      // Layers with something of this command's in them would tell the next one's effects wrong.
      if (!isSound) await this.#drop()
    }
  }

  #hear(ground: CommandMount): void {
    const { journal, state } = this.deps
    const reports = ground.told()
    journal.recordReported(reports.denials, state.intentId)
    journal.recordUnreported(reports, state.intentId)
  }

  /** Takes the layers down: the next command begins with new ones. */
  async #drop(): Promise<void> {
    const ground = await this.#ground?.catch(() => undefined)
    this.#ground = undefined
    await ground?.close()
  }

  #mounts(isolation: ExecOptions['isolation']): Promise<CommandMount> {
    this.#ground ??= CommandMount.open(this.deps, false, isolation)
    return this.#ground.then(
      (ground) => {
        if (ground.isAlive) return ground
        this.#ground = CommandMount.open(this.deps, false, isolation)
        return this.#ground
      },
      (error) => {
        this.#ground = undefined
        throw error
      },
    )
  }

  #land(ground: CommandMount, lands: (effect: Effect) => boolean): IngestedEffects {
    const found = ground.findEffects(false)
    const taken = ground.take({ ...found, effects: found.effects.filter(lands) })
    quarantine(this.deps.layout.session(this.deps.id).quarantine, taken.refused, this.deps.state.intentId)
    ground.clear(found.effects)
    return taken
  }

  async #recordCommand(
    command: CommandLine,
    end: CommandEnd,
    { effects, refused, kept, ground, terms, recorded }: IngestedEffects & Around,
  ): Promise<ExecResult> {
    const refusals = refused.map(({ path, reason, message }) => ({ path, reason, message }))
    const { isolation } = ground
    const told = {
      command,
      ...terms.admitted,
      exit_code: end.exitCode,
      ...(end.ended && { ended: end.ended }),
      ...networkOf(terms, isolation),
    }
    const paths = effects.changes.map(({ path }) => path)
    if (recorded) await this.deps.record({ ...told, isolation, effects: paths, refused: refusals, kept })
    const { exitCode, stdout, stderr, truncated, ended } = end
    return {
      exitCode,
      stdout,
      stderr,
      effects,
      refused: refusals,
      kept,
      isolation,
      ...(truncated && { truncated }),
      ...(ended && { ended }),
      summary: summaryOf(effects, refused, kept),
    }
  }
}

/** What a command did, and where. */
interface Around {
  readonly effects: ChangeSet
  readonly ground: CommandMount
  readonly terms: AdmittedCommand
  readonly recorded: boolean
}

const NOTHING: IngestedEffects = { refused: [], kept: [], unsettled: [] }
