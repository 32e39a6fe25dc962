import { closeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { codeOf, sha256hex } from '../../overlay/index.js'
import type { TraceRecord } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { SharedFile } from '../core/layout.js'
import { openShared } from '../host/shared-files.js'
import { type Break, EMPTY_TIP, type HeadAt, highest, ownFieldsOf, step, type Tip } from './chain.js'
import type { Fault } from './fault.js'
import { unavailable } from './faults.js'
import { KnownHeads } from './known-heads.js'
import { type Line, parseLine, readLines } from './lines.js'
import { type Copies, KEPT } from './published.js'

export interface Reading {
  /** After the last good line. */
  readonly tip: Tip
  /** What follows it and is no whole line: the trace of a write that was cut off. */
  readonly torn: Buffer | null
  readonly fault: Fault | null
}

/** Told each good record, in order, and the tip behind it; may say what is wrong with it all the same. */
export type Seen = (record: TraceRecord, tip: Tip) => string | undefined

function ignore(): undefined {}

const PAUSE_BYTES = 1024 * 1024

/** Reads and checks the chain, from a tip known to be good. An absent file is an empty ledger. */
export function readChain(file: SharedFile, from: Tip, copies: Copies, seen: Seen = ignore): Reading {
  return withFile(file, (fd) => {
    const work = scan(fd, from, copies, seen)
    for (;;) {
      const next = work.next()
      if (next.done) return next.value
    }
  })
}

/** The same, letting other work in between. */
export async function readChainAsync(
  file: SharedFile,
  from: Tip,
  copies: Copies,
  seen: Seen = ignore,
): Promise<Reading> {
  const fd = openIfThere(file)
  if (fd === undefined) return { tip: EMPTY_TIP, torn: null, fault: null }
  try {
    const work = scan(fd, from, copies, seen)
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

/** Yields now and then, for the caller to pause. */
function* scan(fd: number, from: Tip, copies: Copies, seen: Seen): Generator<undefined, Reading> {
  const lines = readLines(fd, from.end, from.lines + 1)
  const heads = new KnownHeads(fd)
  let at = from.end
  const headAt: HeadAt = (of) => heads.at(of, at)
  const copied = new Copied(copies)
  let tip = from
  let pauseAt = tip.end + PAUSE_BYTES
  for (const line of lines) {
    const parsed = parseLine(line)
    if (!line.terminated || 'problem' in parsed) {
      if (line.last && !line.oversize) return { tip, torn: withLf(line), fault: copied.fault(tip) }
      return { tip, torn: null, fault: plain(line.number, 'problem' in parsed ? parsed.problem : 'is cut off') }
    }
    const hash = sha256hex(line.bytes)
    const next = step(tip, parsed.value, hash, line.end - line.start, headAt)
    if ('problem' in next) return { tip, torn: null, fault: explain(fd, tip, line, hash, next, copies) }
    const isRepeated = next.sides.length > tip.sides.length && heads.at(hash, line.start) !== undefined
    const problem = isRepeated ? 'is repeated' : seen(parsed.value, next)
    if (problem !== undefined) return { tip, torn: null, fault: plain(line.number, problem) }
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

/** Compares lines with their copies. Of two branches only one was written here: the other's records have none. */
class Copied {
  readonly #unlike = new Map<number, number>()
  readonly #alike = new Set<number>()

  constructor(private readonly copies: Copies) {}

  compare(line: number, seq: number, hash: string): void {
    const copies = this.copies.get(seq)
    if (copies?.has(hash)) this.#alike.add(seq)
    else if (copies !== undefined) this.#unlike.set(seq, line)
  }

  /** Only the newest lines: under an older, pruned number a process that slept may have linked a line of its own. */
  fault(tip: Tip): Fault | null {
    const newest = highest(tip)
    for (const [seq, line] of this.#unlike) {
      if (seq > newest - KEPT && !this.#alike.has(seq))
        return plain(line, `differs from the copy of record ${seq} in ledger.d`)
    }
    return null
  }
}

function withLf(line: Line): Buffer {
  return line.terminated ? Buffer.concat([line.bytes, Buffer.from('\n')]) : line.bytes
}

function plain(line: number, reason: string): Fault {
  return { line, reason: `Line ${line} ${reason}.`, fork: false }
}

/** Names the line at fault: what a later line or a copy vouches for has not been changed, so the one before it has. */
function explain(fd: number, tip: Tip, line: Line, hash: string, found: Break, copies: Copies): Fault {
  const own = linkOf(line)
  if (found.unlinked && own !== undefined && tip.lines > 0) {
    const follower = readLines(fd, line.end, line.number + 1).next()
    const isVouched = follower.done ? copies.get(own.seq)?.has(hash) : linkOf(follower.value)?.prev === hash
    if (isVouched) return plain(tip.lines, `was changed: line ${line.number} was written after other bytes`)
  }
  return plain(line.number, found.problem)
}

function linkOf(line: Line): { seq: number; prev: string | null } | undefined {
  const parsed = parseLine(line)
  const own = 'value' in parsed ? ownFieldsOf(parsed.value) : undefined
  return own === undefined || 'problem' in own ? undefined : own
}

/** What is wrong with a ledger whose branches are not joined. */
export function forkIn({ sides: [side] }: Tip): Fault | null {
  if (side === undefined) return null
  const { left: line, seq } = side
  const reason = `Line ${line} continues an earlier line than the one before it: the chain forks there, and no merge record joins the branch that ended with record ${seq}.`
  return { line, reason, fork: true }
}
