import type { RunningCommand, StartOptions } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { CommandLine, ExecDeps, ExecTerms } from './admitted-command.js'
import { BackgroundCommand, type Idle, type Starting } from './background-command.js'

/** Commands of one session that may run at a time, beside the one of exec. */
const MOST = 16
/** Those that have ended and are still listed, with what they said. */
const LISTED = 16

/** The commands of a session that run on by themselves. */
export class SessionCommands {
  readonly #all: BackgroundCommand[] = []
  readonly #starting = new Set<Promise<unknown>>()
  #count = 0
  /** Those on their way that are not listed yet. */
  #making = 0
  #isClosed = false

  constructor(
    private readonly deps: ExecDeps,
    private readonly terms: ExecTerms,
    private readonly idle: Idle,
  ) {}

  /** @param isAttached it has our own terminal. */
  async start(command: CommandLine, options: StartOptions, isAttached = false): Promise<BackgroundCommand> {
    if (this.#isClosed) throw sessionClosing()
    const running = this.#all.filter(({ state }) => state === 'running').length + this.#making
    if (running >= MOST)
      throw new EscrowError('limit_exceeded', `Limit Exceeded: ${MOST} commands of this session are running.`, {
        hint: 'Stop one of them: commands() lists them.',
      })
    const id = `c${++this.#count}`
    const starting = this.#start({ id, command, options, isAttached })
    this.#starting.add(starting)
    return starting.finally(() => this.#starting.delete(starting))
  }

  async #start(starting: Starting): Promise<BackgroundCommand> {
    this.#making++
    const made = await BackgroundCommand.make(this.deps, this.terms, starting, this.idle).finally(() => this.#making--)
    if (!this.#isClosed) this.#all.push(made)
    else {
      await made.end()
      throw sessionClosing()
    }
    await made.whenStarted()
    this.#forget()
    return made
  }

  list(): RunningCommand[] {
    return [...this.#all]
  }

  /** Ends all of them; what they did is taken in. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled([...this.#starting])
    await Promise.allSettled(this.#all.map((command) => command.end()))
  }

  #forget(): void {
    const over = this.#all.filter(({ state }) => state === 'ended')
    for (const command of over.slice(0, Math.max(0, over.length - LISTED)))
      this.#all.splice(this.#all.indexOf(command), 1)
  }
}

function sessionClosing(): EscrowError {
  return new EscrowError('session_busy', 'The session is being closed.')
}
