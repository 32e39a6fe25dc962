import type { Database } from '../hub/index.js'

/** Requests that wait for the next change of the database. */
export class Wakes {
  #resolve: () => void = () => undefined
  #next: Promise<void>
  #end: () => Promise<void> = async () => undefined

  private constructor() {
    this.#next = this.#open()
  }

  static async of(database: Database): Promise<Wakes> {
    const wakes = new Wakes()
    wakes.#end = await database.listen(() => wakes.#wake())
    return wakes
  }

  /** Resolves at the next change. Take it before the read that it follows, or a change between the two is missed. */
  next(): Promise<void> {
    return this.#next
  }

  async close(): Promise<void> {
    this.#wake()
    await this.#end()
  }

  #wake(): void {
    const resolve = this.#resolve
    this.#next = this.#open()
    resolve()
  }

  #open(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve
    })
  }
}
