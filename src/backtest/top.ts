/** Counts by text. It keeps a bounded number of texts, those that were seen first; the total counts all. */
export class Top {
  readonly #counts = new Map<string, number>()
  total = 0

  constructor(private readonly limit = 10_000) {}

  add(text: string, count = 1): void {
    this.total += count
    const known = this.#counts.get(text)
    if (known !== undefined || this.#counts.size < this.limit) this.#counts.set(text, (known ?? 0) + count)
  }

  /** The most frequent ones first, equal ones by their text. */
  first(count = Number.POSITIVE_INFINITY): { readonly name: string; readonly count: number }[] {
    return [...this.#counts]
      .map(([name, n]) => ({ name, count: n }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
      .slice(0, count)
  }
}

/** The spread of numbers, one for each session. */
export interface Spread {
  readonly mean: number
  readonly median: number
  /** 95 of 100 sessions have at most this. */
  readonly p95: number
  readonly max: number
}

export function spreadOf(numbers: readonly number[]): Spread {
  const sorted = [...numbers].sort((a, b) => a - b)
  const at = (part: number) => sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0
  const sum = sorted.reduce((total, each) => total + each, 0)
  return { mean: sorted.length === 0 ? 0 : sum / sorted.length, median: at(0.5), p95: at(0.95), max: at(1) }
}
