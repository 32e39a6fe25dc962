import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Leaves } from '../../src/transparency/leaves.js'
import {
  consistencyProof,
  inclusionProof,
  isConsistent,
  leafHash,
  rootFromInclusion,
  rootOf,
} from '../../src/transparency/merkle.js'
import { fuzzParameters, fuzzSeed } from '../support/fuzz.js'

/** The literal definition of RFC 6962, section 2.1. */
const sha256 = (...parts: Uint8Array[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

function definedRoot(entries: readonly Buffer[]): Buffer {
  const [first, ...more] = entries
  if (first === undefined) return sha256()
  if (more.length === 0) return sha256(Buffer.from([0]), first)
  const middle = splitOf(entries.length)
  return sha256(Buffer.from([1]), definedRoot(entries.slice(0, middle)), definedRoot(entries.slice(middle)))
}

function definedPath(at: number, entries: readonly Buffer[]): Buffer[] {
  if (entries.length === 1) return []
  const middle = splitOf(entries.length)
  const [left, right] = [entries.slice(0, middle), entries.slice(middle)]
  return at < middle
    ? [...definedPath(at, left), definedRoot(right)]
    : [...definedPath(at - middle, right), definedRoot(left)]
}

function definedProof(from: number, entries: readonly Buffer[], isWhole = true): Buffer[] {
  if (from === entries.length) return isWhole ? [] : [definedRoot(entries)]
  const middle = splitOf(entries.length)
  const [left, right] = [entries.slice(0, middle), entries.slice(middle)]
  return from <= middle
    ? [...definedProof(from, left, isWhole), definedRoot(right)]
    : [...definedProof(from - middle, right, false), definedRoot(left)]
}

function splitOf(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

function treeOf(entries: readonly Buffer[]): Leaves {
  const leaves = new Leaves()
  for (const bytes of entries) leaves.read({ bytes, start: 0 })
  return leaves
}

const entriesOf = (size: number) => Array.from({ length: size }, (_, n) => Buffer.from(`entry ${n}`))

/** Inputs and roots that implementations of certificate transparency share in their tests. */
const INPUTS = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

describe('the tree', () => {
  it.each(ROOTS.map((root, size) => [size, root] as const))('of %i known entries has the known root', (size, root) => {
    const tree = treeOf(INPUTS.slice(0, size).map((hex) => Buffer.from(hex, 'hex')))
    expect(rootOf(size, tree.hashAt).toString('hex')).toBe(root)
  })

  it.each([255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537])(
    'of %i entries has the root of the definition',
    (size) => {
      const entries = entriesOf(size)
      expect(rootOf(size, treeOf(entries).hashAt).equals(definedRoot(entries))).toBe(true)
    },
  )

  it('has the proofs of the definition, and each one checks', () => {
    const sizes = fc.integer({ min: 1, max: 700 }).chain((size) => {
      return fc.record({
        size: fc.constant(size),
        at: fc.integer({ min: 0, max: size - 1 }),
        from: fc.integer({ min: 1, max: size }),
      })
    })
    fc.assert(
      fc.property(sizes, ({ size, at, from }) => {
        const entries = entriesOf(size)
        const tree = treeOf(entries)
        const root = rootOf(size, tree.hashAt)
        const inclusion = inclusionProof(at, size, tree.hashAt)
        expect(inclusion).toEqual(definedPath(at, entries))
        expect(rootFromInclusion(leafHash(entries[at] ?? Buffer.alloc(0)), at, size, inclusion)).toEqual(root)
        const old = { size: from, root: rootOf(from, tree.hashAt) }
        const consistency = consistencyProof(from, size, tree.hashAt)
        expect(consistency).toEqual(definedProof(from, entries))
        expect(isConsistent(old, { size, root }, consistency)).toBe(true)
      }),
      { ...fuzzParameters(60), seed: fuzzSeed() },
    )
  })

  it('has proofs that are valid for nothing else', () => {
    const cases = fc.integer({ min: 2, max: 300 }).chain((size) => {
      return fc.record({
        size: fc.constant(size),
        at: fc.integer({ min: 0, max: size - 1 }),
        from: fc.integer({ min: 1, max: size - 1 }),
        changed: fc.integer({ min: 0, max: 20 }),
        bit: fc.integer({ min: 0, max: 255 }),
      })
    })
    fc.assert(
      fc.property(cases, ({ size, at, from, changed, bit }) => {
        const entries = entriesOf(size)
        const tree = treeOf(entries)
        const root = rootOf(size, tree.hashAt)
        const leaf = leafHash(entries[at] ?? Buffer.alloc(0))
        const proof = inclusionProof(at, size, tree.hashAt)
        const broken = flipBit(proof, changed, bit)
        expect(rootFromInclusion(leaf, at, size, broken)?.equals(root) ?? false).toBe(false)
        expect(rootFromInclusion(leafHash(Buffer.from('other')), at, size, proof)?.equals(root) ?? false).toBe(false)
        expect(rootFromInclusion(leaf, at, size, [...proof, leaf])).toBeUndefined()
        expect(rootFromInclusion(leaf, at, size, proof.slice(1))?.equals(root) ?? false).toBe(false)
        const old = { size: from, root: rootOf(from, tree.hashAt) }
        const consistency = consistencyProof(from, size, tree.hashAt)
        expect(isConsistent(old, { size, root }, flipBit(consistency, changed, bit))).toBe(false)
        expect(isConsistent(old, { size, root }, [...consistency, leaf])).toBe(false)
        expect(isConsistent(old, { size, root }, consistency.slice(1))).toBe(false)
        expect(isConsistent({ ...old, root: leafHash(leaf) }, { size, root }, consistency)).toBe(false)
      }),
      { ...fuzzParameters(60), seed: fuzzSeed() },
    )
  })

  it('without a proof is consistent only with itself and the empty one', () => {
    const tree = treeOf(entriesOf(5))
    const grown = { size: 5, root: rootOf(5, tree.hashAt) }
    expect(isConsistent(grown, grown, [])).toBe(true)
    expect(isConsistent({ ...grown, root: leafHash(grown.root) }, grown, [])).toBe(false)
    expect(isConsistent({ size: 0, root: rootOf(0, tree.hashAt) }, grown, [])).toBe(true)
    expect(isConsistent({ size: 0, root: grown.root }, grown, [])).toBe(false)
    expect(isConsistent({ ...grown, size: 6 }, grown, [])).toBe(false)
  })
})

function flipBit(proof: readonly Buffer[], which: number, bit: number): Buffer[] {
  return proof.map((hash, n) => {
    if (n !== which % proof.length) return hash
    const changed = Buffer.from(hash)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    return changed
  })
}
