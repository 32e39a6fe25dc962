import type { ExecOptions, ExecResult, RunningCommand, StartOptions } from './core/api.js'
import { type CommandLine, type ExecDeps, ExecTerms } from './exec-terms.js'
import { SessionCommands } from './session-commands.js'
import { SessionExec } from './session-exec.js'

/** The ways a session runs commands: one after the other, and those that run on by themselves. */
export class SessionTerminal {
  readonly #exec: SessionExec
  readonly #commands: SessionCommands

  constructor(private readonly deps: ExecDeps) {
    const terms = new ExecTerms(deps)
    this.#exec = new SessionExec(deps, terms)
    this.#commands = new SessionCommands(deps, terms)
  }

  async exec(command: CommandLine, options: ExecOptions = {}): Promise<ExecResult> {
    this.deps.open()
    return this.deps.inCall(() => this.#exec.run(command, options))
  }

  async start(command: CommandLine, options: StartOptions = {}): Promise<RunningCommand> {
    this.deps.open()
    return this.deps.inCall(() => this.#commands.start(command, options))
  }

  async commands(): Promise<RunningCommand[]> {
    this.deps.open()
    return this.#commands.list()
  }

  /** Ends what runs on, and waits for the command under way. */
  async close(): Promise<void> {
    await this.#commands.close()
    await this.#exec.close()
  }
}
