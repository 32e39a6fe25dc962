import { EventEmitterAsyncResource } from 'node:events'

const FOREVER_MS = 2 ** 31 - 1

/**
 * The result of `fs.watch`: `fs.FSWatcher` in everything but the class, which no host allows to construct. Its
 * listeners run in the async context of the call to `watch`, as the host's do, and not in the writer's.
 */
export class Watcher extends EventEmitterAsyncResource {
  readonly #alive = setInterval(() => undefined, FOREVER_MS)
  #stop: (() => void) | undefined
  #closed = false

  /** @param persistent whether it keeps the process alive */
  constructor(persistent: boolean) {
    super({ name: 'FSWATCHER' })
    if (!persistent) this.unref()
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Sets the function that `close` calls. */
  startWith(stop: () => void): this {
    this.#stop = stop
    return this
  }

  report(event: string, filename: string | Buffer): void {
    if (!this.#closed) this.emit('change', event, filename)
  }

  fail(error: unknown): void {
    if (!this.#closed) this.emit('error', error)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    clearInterval(this.#alive)
    this.#stop?.()
    process.nextTick(() => this.emit('close'))
  }

  ref(): this {
    this.#alive.ref()
    return this
  }

  unref(): this {
    this.#alive.unref()
    return this
  }
}
