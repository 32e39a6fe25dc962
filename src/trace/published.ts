import { randomUUID } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, fileStampAt, readRegular, sha256hex } from '../../overlay/index.js'
import { createFile, ensurePrivateDir, publish, removeName } from '../host/write.js'
import { parseLine } from './lines.js'

/**
 * `ledger.d/`: each record's exact line under its place in the chain, `<number>-<begin of the hash before it>-<branch>`.
 * Whoever links a name first has the place, whatever became of the process lock; the others continue after that record. The
 * newest few stay, as a copy to repair the file from and to compare its end with.
 *
 * These copies are not synced, the file is: a killed process leaves them whole, a power cut may leave names without
 * content. Such a name holds nothing that was ever acknowledged and not in the file too, so it counts as absent.
 *
 * Two branches can continue one record, and only one of the two files is checked out. So copies of another branch count as
 * absent, and the first record that is published on this one removes them.
 */

/** How many records' lines stay. */
export const KEPT = 8
const DRAFT_PREFIX = '.new-'
const ABANDONED_MS = 60 * 60 * 1000
/** Hex digits of a hash, or of a branch's digest, in a name. */
const HASH_DIGITS = 16
const BRANCH_DIGITS = 8
const NAME = /^([1-9][0-9]{0,14})-([0-9a-f]{16}|start)-([0-9a-f]{8}|none)$/

/** Hashes of published lines by sequence number: what the file must hold there. */
export type Copies = ReadonlyMap<number, ReadonlySet<string>>

export interface Published {
  /**
   * The hashes of the lines there are, by sequence number in rising order. A line is read again once it was touched. The
   * branch that is checked out now counts for all calls until the next one of this.
   */
  hashes(): Copies
  /** @param prev the hash of the line before it. */
  read(seq: number, prev: string | null): Buffer | undefined
  /** False if the place is taken. The line is whole before its name is visible. */
  publish(seq: number, prev: string | null, line: Buffer): boolean
  /**
   * The records that end with a line and have copies, one after the other, as of the last {@link hashes} and
   * {@link publish}; the oldest first.
   * @param after where to stop: the hash of a line.
   */
  tail(hash: string | null, after?: string | null): { readonly seq: number; readonly hash: string }[]
  /** Frees the places after number `head` from the first on whose content a power cut took: true if there was one. */
  sweep(head: number): boolean
  /** Forgets what the file has held durably for a while. */
  prune(head: number): void
  /** Forgets all of them: a person says that the file as it stands is the right one. */
  clear(): void
}

/** @param branch what is checked out now; undefined where there is no version control. */
export function publishedIn(dir: string, branch: () => string | undefined = () => undefined): Published {
  // A line of many files is a megabyte, and there are eight: what has not been touched is not read again.
  let known = new Map<string, Copy>()
  let others: string[] = []
  let mark = markOf(branch())

  function places(names = namesIn(dir)): Place[] {
    const all = placesIn(names)
    others = all.filter((place) => place.branch !== mark).map(({ name }) => name)
    return all.filter((place) => place.branch === mark)
  }

  return {
    hashes() {
      mark = markOf(branch())
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
    read: (seq, prev) => readWhole(dir, nameOf(seq, prev, mark)),
    publish(seq, prev, line) {
      ensurePrivateDir(dir)
      for (const name of others.splice(0)) removeName(join(dir, name))
      const name = nameOf(seq, prev, mark)
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
      const ahead = places().filter(({ seq }) => seq > head)
      const hollow = ahead.findIndex(({ name }) => isHollow(readIfThere(dir, name)))
      for (const { name } of hollow === -1 ? [] : ahead.slice(hollow)) removeName(join(dir, name))
      return hollow !== -1
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

function nameOf(seq: number, prev: string | null, mark: string): string {
  return `${seq}-${prev?.slice(0, HASH_DIGITS) ?? 'start'}-${mark}`
}

function markOf(branch: string | undefined): string {
  return branch === undefined ? 'none' : sha256hex(branch).slice(0, BRANCH_DIGITS)
}

function copiesOf(known: Iterable<Copy>): Copies {
  const copies = new Map<number, Set<string>>()
  for (const { seq, hash } of known) copies.set(seq, (copies.get(seq) ?? new Set()).add(hash))
  return copies
}

/** Mostly nothing is, and an error takes longer to make than a look. */
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

/** Absent: never written, or pruned since it was listed. */
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
  return isHollow(line) ? undefined : line
}

function isHollow(line: Buffer | undefined): boolean {
  return line !== undefined && 'problem' in parseLine({ bytes: line, oversize: false })
}

/** What a killed process left half-made; a living one links its line within milliseconds. */
function removeAbandoned(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat !== undefined && Date.now() - stat.mtimeMs > ABANDONED_MS) removeName(path)
}
