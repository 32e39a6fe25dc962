/** Numbers below this one are indexes of an array. */
const DENSE = 2 ** 24

/**
 * Hashes by number, for a million of them: nearly every number has one hash, so an array holds them, and a map the few others. A
 * hash has one number.
 */
export class NumberedHashes {
  readonly #first: (string | undefined)[] = []
  readonly #others = new Map<string, number>()

  /** Returns whether the hash is new. */
  add(seq: number, hash: string): boolean {
    const first = this.#first[seq]
    if (first === hash || this.#others.has(hash)) return false
    if (first === undefined && seq < DENSE) this.#first[seq] = hash
    else this.#others.set(hash, seq)
    return true
  }

  has(seq: number, hash: string): boolean {
    return this.#first[seq] === hash || this.#others.get(hash) === seq
  }

  /** Returns whether the hash was there. */
  delete(seq: number, hash: string): boolean {
    if (this.#first[seq] !== hash) return this.#others.get(hash) === seq && this.#others.delete(hash)
    this.#first[seq] = undefined
    return true
  }

  /** The lowest number of a hash. */
  lowest(): number | undefined {
    const first = this.#first.findIndex((hash) => hash !== undefined)
    const numbers = [...this.#others.values(), ...(first === -1 ? [] : [first])]
    return numbers.length === 0 ? undefined : Math.min(...numbers)
  }

  /** All hashes with their numbers. */
  *[Symbol.iterator](): Generator<readonly [hash: string, seq: number]> {
    for (const [seq, hash] of this.#first.entries()) if (hash !== undefined) yield [hash, seq]
    yield* this.#others
  }
}
