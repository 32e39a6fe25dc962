/** Runs asynchronous work one piece at a time, in the order it was queued. A failed piece does not stop the next. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** Queues work; settles as the work does. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Resolves once everything queued so far has ended. */
  async idle(): Promise<void> {
    await this.#last
  }
}
