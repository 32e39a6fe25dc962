/**
 * A map that is copied in constant time. Copies share their nodes, and a copy clones a node it does not own before it
 * changes it (a hash trie with owned nodes, after Clojure's transients). Up to {@link LEAF} entries it is one native
 * Map in insertion order; above that the order is arbitrary.
 */

/** The token of a copy that may change a node in place. Others may only read it. */
export type Owner = object

interface Leaf<V> {
  readonly owner: Owner
  readonly entries: Map<string, V>
}

interface Branch<V> {
  readonly owner: Owner
  readonly below: (Leaf<V> | Branch<V>)[]
}

type Node<V> = Leaf<V> | Branch<V>

const LEAF = 32
const BITS = 4
const WIDTH = 1 << BITS
const HASH_BITS = 32

export class SharedMap<V> implements Iterable<[string, V]> {
  readonly #owner: Owner
  #root: Node<V> | undefined
  #size = 0

  constructor(owner: Owner) {
    this.#owner = owner
  }

  get size(): number {
    return this.#size
  }

  /** A copy with another owner. The original must not be changed any more. */
  fork(owner: Owner): SharedMap<V> {
    const copy = new SharedMap<V>(owner)
    copy.#root = this.#root
    copy.#size = this.#size
    return copy
  }

  get(key: string): V | undefined {
    return leafOf(this.#root, key)?.entries.get(key)
  }

  has(key: string): boolean {
    return leafOf(this.#root, key)?.entries.has(key) === true
  }

  set(key: string, value: V): void {
    const leaf = this.#ownLeaf(key)
    const before = leaf.entries.size
    leaf.entries.set(key, value)
    this.#size += leaf.entries.size - before
  }

  delete(key: string): boolean {
    if (!this.has(key)) return false
    this.#ownLeaf(key).entries.delete(key)
    this.#size--
    if (this.#size === 0) this.#root = undefined
    return true
  }

  *[Symbol.iterator](): Generator<[string, V], undefined> {
    yield* this.#root ? entriesOf(this.#root) : []
  }

  *keys(): Generator<string, undefined> {
    for (const [key] of this) yield key
  }

  *values(): Generator<V, undefined> {
    for (const [, value] of this) yield value
  }

  /** Returns the leaf of a key, with room for one more entry. Clones it, and the nodes above it, if they are not owned. */
  #ownLeaf(key: string): Leaf<V> {
    let node = this.#own(this.#root ?? { owner: this.#owner, entries: new Map() })
    this.#root = node
    let above: Branch<V> | undefined
    let hash = 0
    for (let depth = 0; ; depth++) {
      if ('entries' in node) {
        if (node.entries.size < LEAF || node.entries.has(key) || depth * BITS >= HASH_BITS) return node
        node = this.#split(node, depth)
        if (above) above.below[slotOf(hash, depth - 1)] = node
        else this.#root = node
      }
      if (depth === 0) hash = hashOf(key)
      above = node
      const slot = slotOf(hash, depth)
      node = this.#own(at(above, slot))
      above.below[slot] = node
    }
  }

  #own(node: Node<V>): Node<V> {
    if (node.owner === this.#owner) return node
    if ('entries' in node) return { owner: this.#owner, entries: new Map(node.entries) }
    return { owner: this.#owner, below: [...node.below] }
  }

  #split(leaf: Leaf<V>, depth: number): Branch<V> {
    const leaves = Array.from({ length: WIDTH }, () => ({ owner: this.#owner, entries: new Map<string, V>() }))
    for (const [key, value] of leaf.entries) leaves[slotOf(hashOf(key), depth)]?.entries.set(key, value)
    return { owner: this.#owner, below: leaves }
  }
}

function leafOf<V>(root: Node<V> | undefined, key: string): Leaf<V> | undefined {
  if (root === undefined || 'entries' in root) return root
  const hash = hashOf(key)
  let node: Node<V> = root
  for (let depth = 0; !('entries' in node); depth++) node = at(node, slotOf(hash, depth))
  return node
}

function at<V>({ below }: Branch<V>, slot: number): Node<V> {
  const node = below[slot]
  if (!node) throw new RangeError(`A branch has ${WIDTH} slots.`)
  return node
}

function* entriesOf<V>(node: Node<V>): Generator<[string, V], undefined> {
  if ('entries' in node) yield* node.entries
  else for (const each of node.below) yield* entriesOf(each)
}

function slotOf(hash: number, depth: number): number {
  return (hash >>> (depth * BITS)) & (WIDTH - 1)
}

/** FNV-1a over UTF-16 code units. Names chosen to collide only make one leaf large. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  // The low bits are used first, and FNV mixes those least.
  return (hash ^ (hash >>> 15)) >>> 0
}
