import type { CommandResult, ExecOptions, ExecResult, RunningCommand, RunOptions, StartOptions } from '../core/api.js'
import type { Refusal } from '../core/api-error.js'
import { applyEffects, type Effect, NO_CONFLICTS } from '../terminal/index.js'
import { CommandGate, type CommandLine, type ExecDeps } from './command-gate.js'
import { SessionCommands } from './commands.js'
import { SessionExec } from './exec.js'

/** Milliseconds between two polls of an attached program's effects. */
const POLL_MS = 2_000

/** The commands of a session, in the foreground and in the background. */
export class SessionTerminal {
  readonly #exec: SessionExec
  readonly #commands: SessionCommands

  constructor(private readonly deps: ExecDeps) {
    const gate = new CommandGate(deps)
    this.#exec = new SessionExec(deps, gate)
    this.#commands = new SessionCommands(deps, gate, (work) => this.#exec.whenIdle(work))
  }

  /** Runs commands of escrowfs itself, within the current tool call. */
  get internal(): Pick<SessionExec, 'run'> {
    return this.#exec
  }

  async exec(command: CommandLine, options: ExecOptions = {}): Promise<ExecResult> {
    this.deps.assertOpen()
    return this.deps.inCall(() => this.#exec.run(command, options))
  }

  /** Runs a program for its output alone: it is not recorded, and its effects are dropped. */
  async runReadOnly(command: CommandLine, options: ExecOptions): Promise<ExecResult> {
    this.deps.assertOpen()
    return this.#exec.run(command, options, { admit: async () => ({}), accepts: () => false, recorded: false })
  }

  async start(command: CommandLine, options: StartOptions = {}): Promise<RunningCommand> {
    this.deps.assertOpen()
    return this.deps.inCall(() => this.#commands.start(command, options))
  }

  async run(command: CommandLine, { signal, every = POLL_MS, ...options }: RunOptions = {}): Promise<CommandResult> {
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

  /** Stages effects that were refused before, by a person's choice. The current policy applies; conflicts are ignored. */
  async takeEffects(effects: readonly Effect[]): Promise<Refusal[]> {
    this.deps.assertOpen()
    const { store, view, syncExternal } = this.deps
    return this.deps.inCall(async () => {
      syncExternal()
      const { refused } = applyEffects(effects, view, store.overlay, NO_CONFLICTS)
      return refused.map(({ path, reason, message }) => ({ path, reason, message }))
    }, true)
  }

  /** Kills the background commands and waits for the foreground one. */
  async close(): Promise<void> {
    this.deps.admission.close()
    await this.#commands.close()
    await this.#exec.close()
  }
}
