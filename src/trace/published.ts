import { randomUUID } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sha256hex } from '../../overlay/digest.js'
import { codeOf } from '../../overlay/errno.js'
import { readRegular } from '../../overlay/regular.js'
import { createFile, ensurePrivateDir, publish, removeName, replaceDurable } from '../host/write.js'
import { unavailable } from './faults.js'
import { parseLine } from './lines.js'

/**
 * `ledger.d/`: each record's exact line under its sequence number. Whoever links a number first has it, whatever
 * became of the process lock; the others continue after that record. The newest few stay, as a copy to repair the file
 * from and to compare its end with.
 *
 * These copies are not synced, the file is: a killed process leaves them whole, a power cut may leave names without
 * content. Such a name holds nothing that was ever acknowledged and not in the file too, so it counts as absent.
 *
 * `branch` beside them says which branch was checked out when they were written. They are not of another one's ledger:
 * there they count as absent, and the next record is published in their place.
 */

/** How many records' lines stay. */
export const KEPT = 8
const DRAFT_PREFIX = '.new-'
const BRANCH = 'branch'
const ABANDONED_MS = 60 * 60 * 1000

export interface Published {
  /** The hashes of the lines there are, by sequence number in rising order. A line is read again once it was touched. */
  hashes(): Map<number, string>
  read(seq: number): Buffer | undefined
  /** False if the number is taken. The line is whole before its name is visible. */
  publish(seq: number, line: Buffer): boolean
  /** Frees the numbers after `head` from the first on whose content a power cut took: true if there was one. */
  sweep(head: number): boolean
  /** Forgets what the file has held durably for a while. */
  prune(head: number): void
  /** Forgets all of them: a person says that the file as it stands is the right one. */
  clear(): void
}

/** @param branch what is checked out now; undefined where there is no version control. */
export function publishedIn(dir: string, branch: () => string | undefined = () => undefined): Published {
  const note = join(dir, BRANCH)
  const numbers = () => (isElsewhere(note, branch) ? [] : numbersIn(namesIn(dir)))
  // A line of many files is a megabyte, and there are eight: what has not been touched is not read again.
  let known = new Map<number, Copy>()
  return {
    hashes() {
      const now = new Map<number, Copy>()
      for (const seq of numbers()) {
        const stamp = stampOf(join(dir, String(seq)))
        const copy = known.get(seq)
        if (copy !== undefined && copy.stamp === stamp) now.set(seq, copy)
        else {
          const line = readWhole(dir, seq)
          if (line !== undefined) now.set(seq, { stamp, hash: sha256hex(line) })
        }
      }
      known = now
      return new Map([...now].map(([seq, { hash }]) => [seq, hash]))
    },
    read(seq) {
      return isElsewhere(note, branch) ? undefined : readWhole(dir, seq)
    },
    publish(seq, line) {
      ensurePrivateDir(dir)
      settleOn(dir, note, branch())
      const written = join(dir, `${DRAFT_PREFIX}${randomUUID()}`)
      let isFirst = false
      try {
        createFile(written, line, 0o600, false)
        isFirst = publish(written, join(dir, String(seq)))
      } finally {
        removeName(written)
      }
      if (isFirst) known.set(seq, { stamp: stampOf(join(dir, String(seq))), hash: sha256hex(line) })
      return isFirst
    },
    sweep(head) {
      const ahead = numbers().filter((seq) => seq > head)
      const hollow = ahead.findIndex((seq) => isHollow(readIfThere(dir, seq)))
      for (const seq of hollow === -1 ? [] : ahead.slice(hollow)) removeName(join(dir, String(seq)))
      return hollow !== -1
    },
    prune(head) {
      const names = namesIn(dir)
      const numbers = isElsewhere(note, branch) ? [] : numbersIn(names)
      for (const seq of numbers) if (seq <= head - KEPT) removeName(join(dir, String(seq)))
      for (const name of names) if (name.startsWith(DRAFT_PREFIX)) removeAbandoned(join(dir, name))
    },
    clear: () => clear(dir),
  }
}

/** Whether another branch is checked out than the one whose copies these are. */
function isElsewhere(note: string, branchNow: () => string | undefined): boolean {
  const noted = textIfThere(note)
  const branch = noted === undefined ? undefined : branchNow()
  return branch !== undefined && noted !== branch
}

function settleOn(dir: string, note: string, branch: string | undefined): void {
  if (branch === undefined) return
  const noted = textIfThere(note)
  if (noted === branch) return
  if (noted !== undefined) clear(dir)
  replaceDurable(note, branch, 0o600)
}

function clear(dir: string): void {
  for (const seq of numbersIn(namesIn(dir))) removeName(join(dir, String(seq)))
}

function textIfThere(path: string): string | undefined {
  try {
    return isThere(path) ? readRegular(path, true).toString() : undefined
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw unavailable(path, error)
  }
}

/** Mostly nothing is, and an error takes longer to make than a look. */
function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

interface Copy {
  readonly stamp: string
  readonly hash: string
}

function stampOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? '' : [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ')
}

function numbersIn(names: readonly string[]): number[] {
  const numbers = names.filter((name) => /^[1-9][0-9]{0,14}$/.test(name))
  return numbers.map(Number).sort((a, b) => a - b)
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
function readIfThere(dir: string, seq: number): Buffer | undefined {
  const path = join(dir, String(seq))
  try {
    return isThere(path) ? readRegular(path, true) : undefined
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function readWhole(dir: string, seq: number): Buffer | undefined {
  const line = readIfThere(dir, seq)
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
