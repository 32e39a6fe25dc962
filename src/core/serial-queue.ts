/** Runs asynchronous tasks one at a time, in the order they were queued. A failed task does not stop the next. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** Queues a task. Settles as the task does. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Resolves once all tasks queued so far have ended. */
  async idle(): Promise<void> {
    await this.#last
  }
}
