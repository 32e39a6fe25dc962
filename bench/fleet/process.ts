import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { compileOnce } from '../../test/support/compiled.js'

/** Milliseconds until a process that ended is started again. */
const RESTART_MS = 500

/** A process of the simulation. It is started again whenever it ends, as by systemd. */
export class Supervised {
  #child: ChildProcess | undefined
  #isWanted = false
  /** The number of exits without a kill. */
  crashes = 0
  #ended: Promise<unknown> = Promise.resolve()
  /** Its output on stderr, for a failed run. */
  errors = ''

  constructor(
    private readonly program: string,
    private readonly args: readonly string[],
    private readonly onLine: (line: string) => void,
  ) {}

  start(): void {
    const child = spawn(process.execPath, [`${compileOnce()}/test/children/${this.program}`, ...this.args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    createInterface({ input: child.stdout }).on('line', this.onLine)
    child.stderr.on('data', (data: Buffer) => {
      this.errors = `${this.errors}${data}`.slice(-4_000)
    })
    this.#isWanted = true
    this.#child = child
    this.#ended = once(child, 'close')
    child.once('close', (_, signal) => {
      if (!this.#isWanted) return
      if (signal !== 'SIGKILL') this.crashes += 1
      setTimeout(() => {
        if (this.#isWanted && this.#child === child) this.start()
      }, RESTART_MS)
    })
  }

  send(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  /** Kills it at once, like the kernel when memory is short. */
  async kill(): Promise<void> {
    this.send('SIGKILL')
    await this.#ended
  }

  async stop(): Promise<void> {
    this.#isWanted = false
    this.send('SIGTERM')
    await this.#ended
  }
}
