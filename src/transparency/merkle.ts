import { createHash } from 'node:crypto'

/**
 * The tree of RFC 6962, section 2.1: hashes of leaves and nodes, roots, and proofs. Subtrees are perfect: the one at (`level`, `index`)
 * covers 2^level leaves from index × 2^level on.
 */

/** Gives the hash of a perfect subtree that is whole. */
export type HashAt = (level: number, index: number) => Buffer

export const HASH_BYTES = 32

export function leafHash(entry: Uint8Array): Buffer {
  return createHash('sha256').update(LEAF).update(entry).digest()
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest()
}

const LEAF = Buffer.from([0])
const NODE = Buffer.from([1])

/** The root of the empty tree. */
const EMPTY_ROOT = createHash('sha256').digest()

/** The root of the first `size` leaves. */
export function rootOf(size: number, hashAt: HashAt): Buffer {
  return size === 0 ? EMPTY_ROOT : rangeHash(0, size, hashAt)
}

/** The largest power of two below a size, as its exponent. */
function splitLevel(size: number): number {
  let level = 0
  while (2 ** (level + 1) < size) level++
  return level
}

/** The hash of the leaves from `start` to before `end`. `start` is a multiple of the power of two that holds the range. */
function rangeHash(start: number, end: number, hashAt: HashAt): Buffer {
  const size = end - start
  const level = Math.log2(size)
  if (Number.isInteger(level)) return hashAt(level, start / size)
  const middle = start + 2 ** splitLevel(size)
  return nodeHash(rangeHash(start, middle, hashAt), rangeHash(middle, end, hashAt))
}

/** The hashes that lead from a leaf to the root of the first `size` leaves, from the leaf's sibling on. */
export function inclusionProof(index: number, size: number, hashAt: HashAt): Buffer[] {
  const path = (start: number, end: number): Buffer[] => {
    if (end - start === 1) return []
    const middle = start + 2 ** splitLevel(end - start)
    return index < middle
      ? [...path(start, middle), rangeHash(middle, end, hashAt)]
      : [...path(middle, end), rangeHash(start, middle, hashAt)]
  }
  return path(0, size)
}

/** The hashes that show that the first `from` leaves are the same in the tree of the first `size`. */
export function consistencyProof(from: number, size: number, hashAt: HashAt): Buffer[] {
  const path = (start: number, end: number, isWhole: boolean): Buffer[] => {
    if (from === end) return isWhole ? [] : [rangeHash(start, end, hashAt)]
    const middle = start + 2 ** splitLevel(end - start)
    return from <= middle
      ? [...path(start, middle, isWhole), rangeHash(middle, end, hashAt)]
      : [...path(middle, end, false), rangeHash(start, middle, hashAt)]
  }
  return from === 0 || from === size ? [] : path(0, size, true)
}

/** The root that an inclusion proof leads to; undefined if it has another length than the tree needs. */
export function rootFromInclusion(
  leaf: Buffer,
  index: number,
  size: number,
  proof: readonly Buffer[],
): Buffer | undefined {
  if (index < 0 || index >= size) return undefined
  let [hash, node, last] = [leaf, index, size - 1]
  for (const sibling of proof) {
    if (last === 0) return undefined
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(sibling, hash)
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)]
    } else hash = nodeHash(hash, sibling)
    ;[node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
  }
  return last === 0 ? hash : undefined
}

interface Tree {
  readonly size: number
  readonly root: Buffer
}

/** Whether a proof shows that one tree continues another (RFC 9162, section 2.1.4.2). */
export function isConsistent(old: Tree, now: Tree, proof: readonly Buffer[]): boolean {
  if (old.size > now.size) return false
  if (old.size === now.size) return proof.length === 0 && old.root.equals(now.root)
  if (old.size === 0) return proof.length === 0 && old.root.equals(EMPTY_ROOT)
  let [node, last] = [old.size - 1, now.size - 1]
  while (node % 2 === 1) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
  const [first, ...rest] = node === 0 ? [old.root, ...proof] : proof
  if (first === undefined) return false
  let [oldHash, newHash] = [first, first]
  for (const hash of rest) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      ;[oldHash, newHash] = [nodeHash(hash, oldHash), nodeHash(hash, newHash)]
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)]
    } else newHash = nodeHash(newHash, hash)
    ;[node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
  }
  return last === 0 && oldHash.equals(old.root) && newHash.equals(now.root)
}
