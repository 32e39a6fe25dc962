import { abortError } from './args.js'
import { type QueueOptions, readQueueOptions } from './watch-options.js'
import type { Watcher } from './watcher.js'

interface WatchEvent {
  readonly eventType: string
  readonly filename: string | Buffer
}

/**
 * `fs.promises.watch`: watches from the first requested event until the loop over the events ends.
 * Throws AbortError when the signal is aborted, ERR_FS_WATCH_QUEUE_OVERFLOW, and the errors of `open`.
 */
export async function* watchEvents(open: () => Watcher, options: unknown): AsyncGenerator<WatchEvent, void, void> {
  const queue = readQueueOptions(options)
  const signal = signalOf(options)
  if (signal?.aborted) throw abortError(signal)
  const watcher = open()
  const waiting = new Waiting(queue)
  const wake = () => waiting.wake()
  watcher.on('change', (eventType: string, filename: string | Buffer) => waiting.push({ eventType, filename }))
  watcher.on('error', (error) => waiting.fail(error))
  watcher.on('close', wake)
  signal?.addEventListener('abort', wake)
  try {
    while (!signal?.aborted && !watcher.closed) {
      await waiting.some()
      for (let event = waiting.next(); event; event = waiting.next()) yield event
    }
    if (signal?.aborted) throw abortError(signal)
  } finally {
    signal?.removeEventListener('abort', wake)
    watcher.close()
  }
}

/** The queue of unread events. */
class Waiting {
  readonly #events: WatchEvent[] = []
  #failure: { readonly error: unknown } | undefined
  #woken: () => void = () => undefined
  #sleep: Promise<void> | undefined

  constructor(private readonly options: QueueOptions) {}

  push(event: WatchEvent): void {
    const { maxQueue, overflow } = this.options
    if (this.#events.length < maxQueue) this.#events.push(event)
    else if (overflow === 'error') this.fail(overflowError(maxQueue))
    else process.emitWarning('fs.watch maxQueue exceeded')
    this.wake()
  }

  fail(error: unknown): void {
    this.#failure ??= { error }
    this.wake()
  }

  next(): WatchEvent | undefined {
    return this.#events.shift()
  }

  wake(): void {
    this.#woken()
    this.#sleep = undefined
  }

  /** Resolves when there is an event to read, or the watch has ended. */
  async some(): Promise<void> {
    if (this.#events.length === 0 && !this.#failure) {
      this.#sleep ??= new Promise((resolve) => {
        this.#woken = resolve
      })
      await this.#sleep
    }
    if (this.#failure) throw this.#failure.error
  }
}

function signalOf(options: unknown): AbortSignal | undefined {
  const signal = typeof options === 'object' && options !== null && 'signal' in options ? options.signal : undefined
  return signal instanceof AbortSignal ? signal : undefined
}

function overflowError(maxQueue: number): Error {
  const error = new Error(`fs.watch() queued more than ${maxQueue} events`)
  return Object.assign(error, { code: 'ERR_FS_WATCH_QUEUE_OVERFLOW' })
}
