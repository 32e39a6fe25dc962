import { EventEmitter } from 'node:events'
import { constants } from 'node:os'
import { PassThrough, type Stream } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { ExecOptions, ExecResult } from './core/api.js'

/** What a program runs by: streams its output, and may be ended. */
export type ChildWork = (options: Pick<ExecOptions, 'onOutput' | 'signal'>) => Promise<Pick<ExecResult, 'exitCode'>>

type Signal = NodeJS.Signals

/**
 * Stands for the ChildProcess of a program that runs in a session, or was refused: its output and how it ends come as from
 * one. It has no pid, and nothing can be written to it.
 */
export class GovernedChild extends EventEmitter {
  readonly pid = undefined
  readonly connected = false
  readonly stdin = new PassThrough().resume()
  readonly stdout = new PassThrough()
  readonly stderr = new PassThrough()
  readonly stdio = [this.stdin, this.stdout, this.stderr] as const
  readonly spawnfile: string
  readonly spawnargs: readonly string[]
  exitCode: number | null = null
  signalCode: Signal | null = null
  killed = false
  readonly #ending = new AbortController()

  constructor(program: string, args: readonly string[], work: ChildWork) {
    super()
    this.spawnfile = program
    this.spawnargs = [program, ...args]
    void this.#run(work)
  }

  /** Ends it; a signal of 0 only asks whether it runs. */
  kill(signal: Signal | number = 'SIGTERM'): boolean {
    if (this.exitCode !== null || this.signalCode !== null) return false
    if (signal === 0) return true
    this.signalCode = nameOf(signal)
    this.killed = true
    this.#ending.abort()
    return true
  }

  [Symbol.dispose](): void {
    this.kill()
  }

  ref(): void {}
  unref(): void {}
  disconnect(): void {}

  /** Events come after whoever started it could listen. */
  async #run(work: ChildWork): Promise<void> {
    const onOutput: ExecOptions['onOutput'] = (chunk, stream) => void this[stream].write(chunk)
    try {
      await Promise.resolve()
      const { exitCode } = await work({ onOutput, signal: this.#ending.signal })
      if (!this.killed) this.exitCode = exitCode ?? 1
    } catch (error) {
      if (!this.killed) return this.#failed(error)
    }
    process.nextTick(() => this.#ended())
  }

  #failed(error: unknown): void {
    this.exitCode = -constants.errno.EACCES
    process.nextTick(() => {
      // Where nobody listens it is thrown, as that of any child is.
      try {
        this.emit('error', error)
      } finally {
        void this.#closed()
      }
    })
  }

  #ended(): void {
    this.emit('exit', this.exitCode, this.signalCode)
    void this.#closed()
  }

  async #closed(): Promise<void> {
    const streams = [this.stdout, this.stderr]
    for (const stream of streams) stream.end()
    // What nobody reads is let go.
    for (const stream of streams) if (!isHeard(stream)) stream.resume()
    await Promise.allSettled(streams.map((stream) => finished(stream, { writable: false })))
    this.emit('close', this.exitCode, this.signalCode)
  }
}

function isHeard(stream: Stream): boolean {
  return stream.listenerCount('data') + stream.listenerCount('readable') > 0
}

function nameOf(signal: Signal | number): Signal {
  if (typeof signal === 'string') return signal
  const found = Object.entries(constants.signals).find(([, number]) => number === signal)
  return isSignal(found?.[0]) ? found[0] : 'SIGTERM'
}

function isSignal(name: string | undefined): name is Signal {
  return name !== undefined && name in constants.signals
}
