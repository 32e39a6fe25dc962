/** A line by its fingerprint. */
interface Printed {
  readonly print: string
}

const EVERY = { has: () => true }

/** The limit of lines in the indexes of strands. */
const INDEXED_LINES = 1_000_000

/** Finds lines in strands. Most strands are searched many times, so each gets an index at its second search. */
export class StrandSearch {
  #indexes = new WeakMap<readonly Printed[], StrandIndex>()
  #searched = new WeakSet<readonly Printed[]>()
  #lines = 0

  /** @param asked the prints that are searched */
  constructor(private readonly asked: Pick<ReadonlySet<string>, 'has'> = EVERY) {}

  #indexOf(cells: readonly Printed[]): StrandIndex | undefined {
    const known = this.#indexes.get(cells)
    if (known !== undefined) return known
    if (!this.#searched.has(cells)) {
      this.#searched.add(cells)
      return undefined
    }
    this.#lines += cells.length
    if (this.#lines > INDEXED_LINES) {
      this.#indexes = new WeakMap()
      this.#lines = cells.length
    }
    const index = indexStrand(cells, this.asked)
    this.#indexes.set(cells, index)
    return index
  }

  /** The places of a print, in rising order. The cells must not change between two searches. */
  places(cells: readonly Printed[], print: string): readonly number[] {
    const index = this.#indexOf(cells)
    const places: number[] = []
    if (index === undefined) {
      for (let at = 0; at < cells.length; at++) if (cells[at]?.print === print) places.push(at)
    } else {
      for (let at = index.first.get(print) ?? -1; at >= 0; at = index.next[at] ?? -1) places.push(at)
    }
    return places
  }
}

function indexStrand(cells: readonly Printed[], asked: Pick<ReadonlySet<string>, 'has'>): StrandIndex {
  const [first, next] = [new Map<string, number>(), new Int32Array(cells.length)]
  for (let at = cells.length - 1; at >= 0; at--) {
    const print = cells[at]?.print ?? ''
    if (!asked.has(print)) continue
    next[at] = first.get(print) ?? -1
    first.set(print, at)
  }
  return { first, next }
}

interface StrandIndex {
  readonly first: ReadonlyMap<string, number>
  /** For each place the next one with the same print; -1 after the last. */
  readonly next: Int32Array
}
