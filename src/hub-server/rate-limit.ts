const WINDOW_MS = 60_000

/** Counts requests by caller, a minute at a time. Each process counts its own. */
export class RateLimit {
  readonly #counts = new Map<string, number>()
  #since = 0

  constructor(
    private readonly most: number,
    private readonly now: () => number,
  ) {}

  /** Counts a request. Returns whether it is within the limit. */
  take(caller: string): boolean {
    const isOver = this.isOver(caller)
    this.#counts.set(caller, (this.#counts.get(caller) ?? 0) + 1)
    return !isOver
  }

  isOver(caller: string): boolean {
    const now = this.now()
    // The clock of a machine can go back. Without this check, the window would last until the clock catches up.
    if (now < this.#since || now - this.#since >= WINDOW_MS) {
      this.#counts.clear()
      this.#since = now
    }
    return (this.#counts.get(caller) ?? 0) >= this.most
  }
}
