import type { CommandResult, ExecOptions, ExecResult, RunningCommand, RunOptions, StartOptions } from '../core/api.js'
import type { Refusal } from '../core/api-error.js'
import { type Effect, landEffects } from '../terminal/index.js'
import { type CommandLine, type ExecDeps, ExecTerms } from './admitted-command.js'
import { SessionCommands } from './commands.js'
import { SessionExec } from './exec.js'

/** Milliseconds between two looks at what a program is doing. */
const EVERY = 2_000

/** The ways a session runs commands: one after the other, and those that run on by themselves. */
export class SessionTerminal {
  readonly #exec: SessionExec
  readonly #commands: SessionCommands

  constructor(private readonly deps: ExecDeps) {
    const terms = new ExecTerms(deps)
    this.#exec = new SessionExec(deps, terms)
    this.#commands = new SessionCommands(deps, terms, (work) => this.#exec.idle(work))
  }

  /** Commands of our own making, within the call under way. */
  get own(): Pick<SessionExec, 'run'> {
    return this.#exec
  }

  async exec(command: CommandLine, options: ExecOptions = {}): Promise<ExecResult> {
    this.deps.assertOpen()
    return this.deps.inCall(() => this.#exec.run(command, options))
  }

  /** Runs a program that only looks: it is not recorded, and nothing it does is kept. */
  async look(command: CommandLine, options: ExecOptions): Promise<ExecResult> {
    this.deps.assertOpen()
    return this.#exec.run(command, options, { admit: async () => ({}), lands: () => false, recorded: false })
  }

  async start(command: CommandLine, options: StartOptions = {}): Promise<RunningCommand> {
    this.deps.assertOpen()
    return this.deps.inCall(() => this.#commands.start(command, options))
  }

  async run(command: CommandLine, { signal, every = EVERY, ...options }: RunOptions = {}): Promise<CommandResult> {
    this.deps.assertOpen()
    const running = await this.deps.inCall(() => this.#commands.start(command, { ...options, every }, true))
    const end = () => void running.end().catch(() => undefined)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
    return running.wait().finally(() => signal?.removeEventListener('abort', end))
  }

  async commands(): Promise<RunningCommand[]> {
    this.deps.assertOpen()
    return this.#commands.list()
  }

  /** Stages what was refused before, as a person wants it: by the policy of now, whatever was changed meanwhile. */
  async take(effects: readonly Effect[]): Promise<Refusal[]> {
    this.deps.assertOpen()
    const { store, view, syncExternal } = this.deps
    return this.deps.inCall(async () => {
      syncExternal()
      const { refused } = landEffects(effects, {
        layer: view.layer,
        overlay: store.overlay,
        within: (work) => view.within(work),
        isClosed: () => false,
        isStale: () => false,
        isStaleTree: () => false,
      })
      return refused.map(({ path, reason, message }) => ({ path, reason, message }))
    }, true)
  }

  /** Ends what runs on, and waits for the command under way. */
  async close(): Promise<void> {
    this.deps.admission.close()
    await this.#commands.close()
    await this.#exec.close()
  }
}
