import { EventEmitter } from 'node:events'
import { constants } from 'node:os'
import { PassThrough, type Stream } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { ExecOptions, ExecResult } from '../core/api.js'
import { denialOf } from '../core/denials.js'
import { errorText } from '../core/error-text.js'

/** The work behind a child: it streams output, and can be aborted. */
export type ChildWork = (options: Pick<ExecOptions, 'onOutput' | 'signal'>) => Promise<Pick<ExecResult, 'exitCode'>>

type Signal = NodeJS.Signals

/** The exit code a shell uses for a program that may not be started. */
const NOT_EXECUTABLE = 126

/**
 * The ChildProcess of a program that runs in a session or is refused. Its output and end arrive as those of a real one. A
 * refused program starts, prints the reason on stderr and exits with 126, as in a shell: hosts wait for `spawn` and for the end
 * of stdin, and an `error` event without a listener ends their process. It has no pid, and ignores its stdin.
 */
export class GovernedChild extends EventEmitter {
  readonly pid = undefined
  readonly connected = false
  readonly stdin: PassThrough | null
  readonly stdout: PassThrough | null
  readonly stderr: PassThrough | null
  readonly stdio: readonly (PassThrough | null)[]
  readonly spawnfile: string
  readonly spawnargs: readonly string[]
  exitCode: number | null = null
  signalCode: Signal | null = null
  killed = false
  readonly #abort = new AbortController()

  /** @param stdio the option `stdio` of `spawn`; three pipes by default. */
  constructor(program: string, args: readonly string[], work: ChildWork, stdio?: unknown) {
    super()
    this.spawnfile = program
    this.spawnargs = [program, ...args]
    const [stdin, stdout, stderr] = [0, 1, 2].map((at) => (isPiped(stdio, at) ? new PassThrough() : null))
    this.stdin = stdin?.resume() ?? null
    this.stdout = stdout ?? null
    this.stderr = stderr ?? null
    this.stdio = [this.stdin, this.stdout, this.stderr]
    void this.#run(work)
  }

  /** Aborts the work; signal 0 only tests whether it runs. */
  kill(signal: Signal | number = 'SIGTERM'): boolean {
    if (this.exitCode !== null || this.signalCode !== null) return false
    if (signal === 0) return true
    this.signalCode = signalName(signal)
    this.killed = true
    this.#abort.abort()
    return true
  }

  [Symbol.dispose](): void {
    this.kill()
  }

  ref(): void {}
  unref(): void {}
  disconnect(): void {}

  /** Emits events only after the caller could add listeners. */
  async #run(work: ChildWork): Promise<void> {
    const onOutput: ExecOptions['onOutput'] = (chunk, stream) => void this[stream]?.write(chunk)
    await Promise.resolve()
    process.nextTick(() => this.emit('spawn'))
    try {
      const { exitCode } = await work({ onOutput, signal: this.#abort.signal })
      if (!this.killed) this.exitCode = exitCode ?? 1
    } catch (error) {
      this.stderr?.write(`${describeError(error)}\n`)
      if (!this.killed) this.exitCode = NOT_EXECUTABLE
    }
    process.nextTick(() => void this.#onEnd())
  }

  async #onEnd(): Promise<void> {
    this.emit('exit', this.exitCode, this.signalCode)
    this.stdin?.destroy()
    const streams = [this.stdout, this.stderr].filter((stream) => stream !== null)
    for (const stream of streams) stream.end()
    // Discards output that nobody reads.
    for (const stream of streams) if (!hasReader(stream)) stream.resume()
    await Promise.allSettled(streams.map((stream) => finished(stream, { writable: false })))
    this.emit('close', this.exitCode, this.signalCode)
  }
}

/** Whether a slot of `stdio` is a stream of the child. Other slots are the host's own and get nothing. */
function isPiped(stdio: unknown, at: number): boolean {
  const slot: unknown = Array.isArray(stdio) ? stdio[at] : stdio
  return slot === undefined || slot === null || slot === 'pipe' || slot === 'overlapped'
}

function describeError(error: unknown): string {
  const denial = denialOf(error)
  if (denial) return [denial.message, ...(denial.hint === undefined ? [] : [denial.hint])].join(' ')
  return errorText(error)
}

function hasReader(stream: Stream): boolean {
  return stream.listenerCount('data') + stream.listenerCount('readable') > 0
}

function signalName(signal: Signal | number): Signal {
  if (typeof signal === 'string') return signal
  const found = Object.entries(constants.signals).find(([, number]) => number === signal)
  return isSignal(found?.[0]) ? found[0] : 'SIGTERM'
}

function isSignal(name: string | undefined): name is Signal {
  return name !== undefined && name in constants.signals
}
