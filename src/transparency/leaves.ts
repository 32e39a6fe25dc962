import { HASH_BYTES, type HashAt, leafHash, nodeHash } from './merkle.js'
import { hashesFrom, TILE_WIDTH } from './tiles.js'

/** The hashes of a ledger's lines, in 32 bytes of memory for each. */
export class Leaves {
  #hashes = Buffer.alloc(1024 * HASH_BYTES)
  #size = 0
  /** The byte offset of the first line of each tile. */
  readonly starts: number[] = []
  /** The hashes of each level of tiles above the leaves. */
  #levels: Buffer[] | undefined

  get size(): number {
    return this.#size
  }

  read({ bytes, start }: { readonly bytes: Buffer; readonly start: number }): void {
    if ((this.#size + 1) * HASH_BYTES > this.#hashes.length) {
      const larger = Buffer.alloc(2 * this.#hashes.length)
      this.#hashes.copy(larger)
      this.#hashes = larger
    }
    if (this.#size % TILE_WIDTH === 0) this.starts.push(start)
    leafHash(bytes).copy(this.#hashes, this.#size * HASH_BYTES)
    this.#size++
    this.#levels = undefined
  }

  /** The hashes of a level of tiles, after each other: those of full tiles of the level below. */
  level(tileLevel: number): Buffer {
    if (tileLevel === 0) return this.#hashes.subarray(0, this.#size * HASH_BYTES)
    this.#levels ??= this.#build()
    return this.#levels[tileLevel - 1] ?? Buffer.alloc(0)
  }

  readonly hashAt: HashAt = hashesFrom((level, index) => {
    return this.level(level).subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)
  })

  #build(): Buffer[] {
    const levels: Buffer[] = []
    for (let below = this.level(0); below.length >= TILE_WIDTH * HASH_BYTES; ) {
      const hashes = below
      const tiles = Math.floor(hashes.length / (TILE_WIDTH * HASH_BYTES))
      const at = hashesFrom((_, index) => hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES))
      const roots = Array.from({ length: tiles }, (_, tile) => subtree(at, tile))
      below = Buffer.concat(roots)
      levels.push(below)
    }
    return levels
  }
}

/** The root of one tile, as seen from its own hashes: seven levels are computed, and the eighth joins them. */
function subtree(at: HashAt, tile: number): Buffer {
  return nodeHash(at(7, 2 * tile), at(7, 2 * tile + 1))
}
