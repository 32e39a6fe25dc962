import type { RunningCommand, StartOptions } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { BackgroundCommand, type Starting, type WhenIdle } from './background-command.js'
import type { CommandGate, CommandLine, ExecDeps } from './command-gate.js'

/** Largest number of background commands of a session. */
const MAX_RUNNING = 16
/** Number of ended commands that stay listed, with their output. */
const MAX_ENDED = 16

/** The background commands of a session. */
export class SessionCommands {
  readonly #all: BackgroundCommand[] = []
  readonly #starting = new Set<Promise<unknown>>()
  #count = 0
  /** Number of commands that are starting and not yet listed. */
  #making = 0
  #isClosed = false

  constructor(
    private readonly deps: ExecDeps,
    private readonly gate: CommandGate,
    private readonly whenIdle: WhenIdle,
  ) {}

  /** @param isAttached whether it gets our terminal. */
  async start(command: CommandLine, options: StartOptions, isAttached = false): Promise<BackgroundCommand> {
    if (this.#isClosed) throw sessionClosing()
    const running = this.#all.filter(({ state }) => state === 'running').length + this.#making
    if (running >= MAX_RUNNING)
      throw new EscrowError('limit_exceeded', `Limit Exceeded: ${MAX_RUNNING} commands of this session are running.`, {
        hint: 'Wait until one of them ends, or stop one.',
      })
    const id = `c${++this.#count}`
    const starting = this.#start({ id, command, options, isAttached })
    this.#starting.add(starting)
    return starting.finally(() => this.#starting.delete(starting))
  }

  async #start(starting: Starting): Promise<BackgroundCommand> {
    this.#making++
    const command = await BackgroundCommand.make(this.deps, this.gate, starting, this.whenIdle).finally(
      () => this.#making--,
    )
    if (!this.#isClosed) this.#all.push(command)
    else {
      await command.end()
      throw sessionClosing()
    }
    await command.whenStarted()
    this.#forget()
    return command
  }

  list(): RunningCommand[] {
    return [...this.#all]
  }

  /** Kills all of them and ingests their effects. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled([...this.#starting])
    await Promise.allSettled(this.#all.map((command) => command.end()))
  }

  #forget(): void {
    const over = this.#all.filter(({ state }) => state === 'ended')
    for (const command of over.slice(0, Math.max(0, over.length - MAX_ENDED)))
      this.#all.splice(this.#all.indexOf(command), 1)
  }
}

function sessionClosing(): EscrowError {
  return new EscrowError('session_busy', 'The session is closing, so no command starts.')
}
