import { randomUUID } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, fileStampAt, readRegular, sha256hex } from '../../overlay/index.js'
import { createFile, ensurePrivateDir, publish, removeName } from '../os/write.js'
import { parseLine } from './lines.js'
import type { Placed } from './place.js'

/**
 * `ledger.d/`: the exact line of each record under its place in the chain, `<number>-<first digits of the hash before
 * it>-<branch>`. The process that links a name first has the place, even if the process lock failed; the others
 * continue after that record. The newest few lines stay, as copies to repair the file from and to compare its end with.
 *
 * The file is synced, and these copies are not. A killed process leaves them whole. A power cut may leave names without
 * content: such a record was never acknowledged unless the file has it too, so the name counts as absent.
 *
 * Two branches can continue one record, and only one of the two files is checked out. So copies of another branch count
 * as absent, and the first record that is published on this branch removes them.
 */

/** How many lines stay as copies. */
export const KEPT = 8
const DRAFT_PREFIX = '.new-'
const ABANDONED_MS = 60 * 60 * 1000
/** Hex digits of a hash, and of a branch's digest, in a name. */
const HASH_DIGITS = 16
const BRANCH_DIGITS = 8
const NAME = /^([1-9][0-9]{0,14})-([0-9a-f]{16}|start)-([0-9a-f]{8}|none)$/

/** Hashes of published lines by sequence number. The file must have one of them there. */
export type Copies = ReadonlyMap<number, ReadonlySet<string>>

export interface Published {
  /**
   * The hashes of the published lines, by sequence number in rising order. Reads a line again only when it was touched.
   * All methods use the branch of the last call of this one.
   */
  hashes(): Copies
  /** @param prev the hash of the line before it */
  read(seq: number, prev: string | null): Buffer | undefined
  /** Returns false if the place is taken. The line is complete before its name is visible. */
  publish(seq: number, prev: string | null, line: Buffer): boolean
  /** Removes a line that this process published. */
  withdraw(seq: number, prev: string | null): void
  /**
   * The copies of consecutive records up to a line, oldest first, as of the last {@link hashes} and {@link publish}.
   * @param after the hash of the line to stop at
   */
  tail(hash: string | null, after?: string | null): { readonly seq: number; readonly hash: string }[]
  /**
   * Removes the copies after number `head`, from the first one that a power cut emptied. Returns whether there was one.
   */
  sweep(head: number): boolean
  /** Removes copies of lines that the file has held durably for a while. */
  prune(head: number): void
  /** Removes all copies, because a person accepted the file as it is. */
  clear(): void
}

/** @param branch the current branch; undefined if there is no version control */
export function openPublished(dir: string, branch: () => string | undefined = () => undefined): Published {
  // The line of a large commit can have a megabyte, so of the kept copies only those that were touched are read again.
  let known = new Map<string, Copy>()
  let others: string[] = []
  let branchMark = markOf(branch())

  function places(names = namesIn(dir)): Place[] {
    const all = placesIn(names)
    others = all.filter((place) => place.branch !== branchMark).map(({ name }) => name)
    return all.filter((place) => place.branch === branchMark)
  }

  return {
    hashes() {
      branchMark = markOf(branch())
      const now = new Map<string, Copy>()
      for (const place of places()) {
        const stamp = fileStampAt(join(dir, place.name))
        const copy = known.get(place.name)
        if (copy !== undefined && copy.stamp === stamp) now.set(place.name, copy)
        else {
          const line = readWhole(dir, place.name)
          if (line !== undefined) now.set(place.name, { ...place, stamp, hash: sha256hex(line) })
        }
      }
      known = now
      return copiesOf(now.values())
    },
    read: (seq, prev) => readWhole(dir, nameOf(seq, prev, branchMark)),
    publish(seq, prev, line) {
      ensurePrivateDir(dir)
      for (const name of others.splice(0)) removeName(join(dir, name))
      const name = nameOf(seq, prev, branchMark)
      const written = join(dir, `${DRAFT_PREFIX}${randomUUID()}`)
      let isFirst = false
      try {
        createFile(written, line, 0o600, false)
        isFirst = publish(written, join(dir, name))
      } finally {
        removeName(written)
      }
      const [place] = isFirst ? placesIn([name]) : []
      if (place !== undefined) known.set(name, { ...place, stamp: fileStampAt(join(dir, name)), hash: sha256hex(line) })
      return isFirst
    },
    withdraw(seq, prev) {
      const name = nameOf(seq, prev, branchMark)
      removeName(join(dir, name))
      known.delete(name)
    },
    tail(hash, after) {
      const copies = new Map([...known.values()].map((copy) => [copy.hash.slice(0, HASH_DIGITS), copy]))
      const found: { seq: number; hash: string }[] = []
      let copy = hash === null || hash === after ? undefined : copies.get(hash.slice(0, HASH_DIGITS))
      if (copy?.hash !== hash) return []
      while (copy !== undefined && copy.hash !== after && found.length < copies.size) {
        found.push({ seq: copy.seq, hash: copy.hash })
        copy = copies.get(copy.prev)
      }
      return found.reverse()
    },
    sweep(head) {
      const later = places().filter(({ seq }) => seq > head)
      const firstEmpty = later.findIndex(({ name }) => isEmptyCopy(readIfThere(dir, name)))
      for (const { name } of firstEmpty === -1 ? [] : later.slice(firstEmpty)) removeName(join(dir, name))
      return firstEmpty !== -1
    },
    prune(head) {
      const names = namesIn(dir)
      for (const { seq, name } of places(names)) if (seq <= head - KEPT) removeName(join(dir, name))
      for (const name of names) if (name.startsWith(DRAFT_PREFIX)) removeAbandoned(join(dir, name))
    },
    clear() {
      for (const { name } of placesIn(namesIn(dir))) removeName(join(dir, name))
    },
  }
}

/**
 * Runs a write of published lines. If it fails, as on a full disk, they are withdrawn: the next append would record what
 * the caller was refused.
 * @param prev the hash of the line before them
 */
export function writeOrWithdraw<T>(
  published: Published,
  prev: string | null,
  placed: readonly Placed[],
  write: () => T,
): T {
  try {
    return write()
  } catch (error) {
    for (const [n, { tip }] of placed.entries()) published.withdraw(tip.seq, placed[n - 1]?.tip.hash ?? prev)
    throw error
  }
}

interface Place {
  readonly name: string
  readonly seq: number
  readonly prev: string
  readonly branch: string
}

/** In rising order. */
function placesIn(names: readonly string[]): Place[] {
  const places = names.flatMap((name) => {
    const [, seq, prev = '', branch = ''] = NAME.exec(name) ?? []
    return seq === undefined ? [] : [{ name, seq: Number(seq), prev, branch }]
  })
  return places.sort((a, b) => a.seq - b.seq)
}

function nameOf(seq: number, prev: string | null, branchMark: string): string {
  return `${seq}-${prev?.slice(0, HASH_DIGITS) ?? 'start'}-${branchMark}`
}

function markOf(branch: string | undefined): string {
  return branch === undefined ? 'none' : sha256hex(branch).slice(0, BRANCH_DIGITS)
}

function copiesOf(known: Iterable<Copy>): Copies {
  const copies = new Map<number, Set<string>>()
  for (const { seq, hash } of known) copies.set(seq, (copies.get(seq) ?? new Set()).add(hash))
  return copies
}

/** A stat first: usually there is no file, and an exception is slower. */
function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

interface Copy extends Place {
  readonly stamp: string | undefined
  readonly hash: string
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** Undefined if it was never written, or was pruned after the listing. */
function readIfThere(dir: string, name: string): Buffer | undefined {
  const path = join(dir, name)
  try {
    return isThere(path) ? readRegular(path, true) : undefined
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function readWhole(dir: string, name: string): Buffer | undefined {
  const line = readIfThere(dir, name)
  return isEmptyCopy(line) ? undefined : line
}

function isEmptyCopy(line: Buffer | undefined): boolean {
  return line !== undefined && 'problem' in parseLine({ bytes: line, oversize: false })
}

/** Removes the draft of a killed process. A living one links its draft within milliseconds. */
function removeAbandoned(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat !== undefined && Date.now() - stat.mtimeMs > ABANDONED_MS) removeName(path)
}
