import { closeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { codeOf, sha256hex } from '../../overlay/index.js'
import type { TraceRecord } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { SharedFile } from '../core/layout.js'
import { openShared } from '../os/shared-files.js'
import { type Break, EMPTY_TIP, type HeadAt, highest, ownFieldsOf, step, type Tip } from './chain.js'
import type { Fault } from './fault.js'
import { unavailable } from './faults.js'
import { KnownHeads } from './known-heads.js'
import { type Line, parseLine, readLines } from './lines.js'
import { type Copies, KEPT } from './published.js'

export interface Reading {
  /** After the last valid line. */
  readonly tip: Tip
  /** The bytes after the tip that are not a complete line: a write was cut off. */
  readonly torn: Buffer | null
  readonly fault: Fault | null
}

/**
 * Called for each valid record, in order, with the tip after it and the bytes of its line without the LF, which are
 * valid during the call. May return a fault of its own.
 */
export type OnRecord = (record: TraceRecord, tip: Tip, bytes: Buffer) => string | undefined

function ignore(): undefined {}

const PAUSE_BYTES = 1024 * 1024

/** Reads and checks the chain from a tip that was checked before. An absent file is an empty ledger. */
export function readChain(file: SharedFile, from: Tip, copies: Copies, onRecord: OnRecord = ignore): Reading {
  return withFile(file, (fd) => {
    const work = scan(fd, from, copies, onRecord)
    for (;;) {
      const next = work.next()
      if (next.done) return next.value
    }
  })
}

/** As {@link readChain}, and yields to the event loop in between. */
export async function readChainAsync(
  file: SharedFile,
  from: Tip,
  copies: Copies,
  onRecord: OnRecord = ignore,
): Promise<Reading> {
  const fd = openIfThere(file)
  if (fd === undefined) return { tip: EMPTY_TIP, torn: null, fault: null }
  try {
    const work = scan(fd, from, copies, onRecord)
    for (;;) {
      const next = work.next()
      if (next.done) return next.value
      await setImmediate()
    }
  } finally {
    closeSync(fd)
  }
}

function withFile(file: SharedFile, read: (fd: number) => Reading): Reading {
  const fd = openIfThere(file)
  if (fd === undefined) return { tip: EMPTY_TIP, torn: null, fault: null }
  try {
    return read(fd)
  } finally {
    closeSync(fd)
  }
}

export function openIfThere(file: SharedFile): number | undefined {
  try {
    return openShared(file)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error instanceof EscrowError ? unavailable(file, error) : error
  }
}

/** Yields after each {@link PAUSE_BYTES} for the caller to pause. */
function* scan(fd: number, from: Tip, copies: Copies, onRecord: OnRecord): Generator<undefined, Reading> {
  const lines = readLines(fd, from.end, from.lines + 1)
  const heads = new KnownHeads(fd)
  let at = from.end
  const headAt: HeadAt = (of) => heads.at(of, at)
  const copied = new CopyCheck(copies)
  let tip = from
  let pauseAt = tip.end + PAUSE_BYTES
  for (const line of lines) {
    const parsed = parseLine(line)
    if (!line.terminated || 'problem' in parsed) {
      if (line.last && !line.oversize) return { tip, torn: withLf(line), fault: copied.fault(tip) }
      return { tip, torn: null, fault: faultAt(line.number, 'problem' in parsed ? parsed.problem : 'is cut off') }
    }
    const hash = sha256hex(line.bytes)
    const next = step(tip, parsed.value, hash, line.end - line.start, headAt)
    if ('problem' in next) return { tip, torn: null, fault: explain(fd, tip, line, hash, next, copies) }
    const isRepeated = next.sides.length > tip.sides.length && heads.at(hash, line.start) !== undefined
    const problem = isRepeated ? 'is repeated' : onRecord(parsed.value, next, line.bytes)
    if (problem !== undefined) return { tip, torn: null, fault: faultAt(line.number, problem) }
    tip = next
    at = tip.end
    if (tip.own?.hash === hash) copied.compare(line.number, tip.seq, hash)
    if (tip.end > pauseAt) {
      pauseAt = tip.end + PAUSE_BYTES
      yield undefined
    }
  }
  return { tip, torn: null, fault: copied.fault(tip) }
}

/** Compares lines with their copies. The records of a branch that was written elsewhere have none. */
class CopyCheck {
  readonly #differing = new Map<number, number>()
  readonly #matching = new Set<number>()

  constructor(private readonly copies: Copies) {}

  compare(line: number, seq: number, hash: string): void {
    const copies = this.copies.get(seq)
    if (copies?.has(hash)) this.#matching.add(seq)
    else if (copies !== undefined) this.#differing.set(seq, line)
  }

  /**
   * Checks only the newest lines: under an older, pruned number a suspended process may have linked a line of its own.
   */
  fault(tip: Tip): Fault | null {
    const newest = highest(tip)
    for (const [seq, line] of this.#differing) {
      if (seq > newest - KEPT && !this.#matching.has(seq))
        return faultAt(line, `differs from the copy of record ${seq} in ledger.d`)
    }
    return null
  }
}

function withLf(line: Line): Buffer {
  return line.terminated ? Buffer.concat([line.bytes, Buffer.from('\n')]) : line.bytes
}

function faultAt(line: number, reason: string): Fault {
  return { line, reason: `Line ${line} ${reason}.`, fork: false }
}

/** Finds the line at fault. Where a later line or a copy confirms a line, the line before it was changed. */
function explain(fd: number, tip: Tip, line: Line, hash: string, found: Break, copies: Copies): Fault {
  const own = linkOf(line)
  if (found.unlinked && own !== undefined && tip.lines > 0) {
    const follower = readLines(fd, line.end, line.number + 1).next()
    const isVouched = follower.done ? copies.get(own.seq)?.has(hash) : linkOf(follower.value)?.prev === hash
    if (isVouched) return faultAt(tip.lines, `was changed: line ${line.number} was written after other bytes`)
  }
  return faultAt(line.number, found.problem)
}

function linkOf(line: Line): { seq: number; prev: string | null } | undefined {
  const parsed = parseLine(line)
  const own = 'value' in parsed ? ownFieldsOf(parsed.value) : undefined
  return own === undefined || 'problem' in own ? undefined : own
}

/** The fault of a ledger whose branches are not joined. */
export function forkIn({ sides: [side] }: Tip): Fault | null {
  if (side === undefined) return null
  const { left: line, seq } = side
  const reason = `Line ${line} continues an earlier line than the one before it: the chain forks there, and no merge record joins the branch that ended with record ${seq}.`
  return { line, reason, fork: true }
}
