import { closeSync, fstatSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { codeOf, sha256hex } from '../../overlay/index.js'
import type { TraceRecord } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { type Layout, SharedFile } from '../core/layout.js'
import { createShared, extendShared, lookShared, readShared, syncOrchestration } from '../host/shared-files.js'
import { EMPTY_TIP, highest, type Tip } from './chain.js'
import { newDraft } from './draft.js'
import { corrupt, faultError } from './faults.js'
import { type LineHeads, noteHeads } from './line-heads.js'
import { joinLines, type Placed, placeDraft, placeLine } from './place.js'
import type { Copies, Published } from './published.js'
import { readingPoints } from './reading-point.js'
import { forkIn, openIfThere, type Reading, readChain, readChainAsync } from './scan.js'
import type { Vcs } from './vcs.js'

const MAX_REPAIRS = 100

/**
 * The ledger's file, kept equal to what is published.
 *
 * A record's place is a byte offset that its chain decides, so lines are written at their offset: two processes that
 * both believe to hold the lock write the same bytes to the same place.
 */
export interface LedgerFile {
  /** Reads what is new without holding anyone up; later calls go on from there. Throws as `settle` does. */
  warm(): Promise<Tip>
  /** The tip of a whole file, after repairs. Throws `ledger_corrupt`, `ledger_fork`; nothing is written then. */
  settle(): Tip
  /** The same of a file whose branches are still to be joined: what joins them stands in the place of a torn end. */
  settleForked(): Forked
  /** Puts published lines behind a tip, durably, over the bytes that are torn. False if the file no longer ends there. */
  extend(tip: Tip, placed: readonly Placed[], torn?: number): boolean
  /** The content of a path whose lines the ledger has, as far as it was read. */
  lineHead(path: string): string | undefined
  /** Where the last reading or writing ended. */
  tip(): Tip
}

export interface Forked {
  readonly tip: Tip
  /** What follows the tip and is cut off, kept beside the file: what a record has to say of it. */
  readonly torn?: Torn
}

interface Torn {
  readonly bytes: number
  readonly sha256: string
  readonly saved_as: string
}

/** @param wrote is told of each published record that this process has put into the file. */
export function ledgerFile(
  layout: Layout,
  published: Published,
  vcs: () => Vcs | undefined,
  wrote: (placed: readonly Placed[]) => void,
): LedgerFile {
  const file = layout.ledgerFile
  let known = EMPTY_TIP
  const heads: LineHeads = new Map()
  const points = readingPoints(layout)
  const onRecord = (record: TraceRecord): undefined => noteHeads(heads, record)

  function from(): Tip {
    if (isThere(file, known)) return known
    heads.clear()
    return EMPTY_TIP
  }

  /** Goes on where another process has read to. */
  async function resume(): Promise<void> {
    const point = await points.load()
    if (point === undefined || !isThere(file, point.tip)) return
    known = point.tip
    for (const [path, digest] of point.heads) heads.set(path, digest)
  }

  function settle(mayFork: boolean): Forked {
    for (let tries = 0; tries < MAX_REPAIRS; tries++) {
      const copies = published.hashes()
      const reading = checkReading(file, readChain(file, from(), copies, onRecord), copies)
      if (!mayFork) assertJoined(file, reading.tip)
      if (published.sweep(highest(reading.tip))) continue
      const missing = unwritten(published, reading.tip, copies)
      if ('problem' in missing) {
        // Not if others went on while we looked: numbers we still looked for may be pruned by now.
        if (sizeOf(file) === sizeThen(reading)) throw corrupt(missing.problem)
        continue
      }
      if (reading.torn === null && missing.length === 0) {
        known = reading.tip
        return { tip: known }
      }
      const { tip, torn } = reading
      if (missing.length > 0 || tip.sides.length === 0 || torn === null) repair(reading, missing)
      else if (completeTornLine(torn, tip).length === 0) return { tip, torn: setAside(file, torn) }
      else extendShared(file, Buffer.from('\n'), sizeThen(reading))
    }
    throw new EscrowError('ledger_unavailable', `${file} is being changed by another program.`)
  }

  /** Saves a torn end beside the file, cuts it, and writes what was published. The record of it is published first. */
  function repair(reading: Reading, missing: readonly Placed[]): void {
    const { tip, torn } = reading
    const restored = missing.length > 0 ? missing : completeTornLine(torn, tip)
    const data = {
      ...(torn ? setAside(file, torn) : { bytes: 0, sha256: null, saved_as: null }),
      restored: restored.map(({ record }) => String(record.id ?? '')),
    }
    const draft = newDraft({ type: 'recovered', intent: null, session: null, data })
    const note = placeDraft(draft, restored.at(-1)?.tip ?? tip, vcs())
    // Taken: another process has gone on meanwhile, and what it wrote is to be read first.
    if (!published.publish(note.tip.seq, (restored.at(-1)?.tip ?? tip).hash, note.line)) return
    // A last line that only lacks its LF has no copy: anybody may have written it.
    if (extendShared(file, joinLines([...restored, note]), tip.end, sizeThen(reading))) wrote([...missing, note])
  }

  return {
    async warm() {
      if (known.end === 0) await resume()
      known = checkReading(file, await readChainAsync(file, from(), new Map(), onRecord), new Map()).tip
      points.keep(known, heads)
      return known
    },
    settle: () => settle(false).tip,
    settleForked: () => settle(true),
    extend(tip, placed, torn = 0) {
      if (placed.length === 0) return true
      if (!extendShared(file, joinLines(placed), tip.end, tip.end + torn)) return false
      if (tip.end === 0) syncOrchestration(layout)
      wrote(placed)
      known = placed.at(-1)?.tip ?? tip
      for (const { record } of placed) onRecord(record)
      return true
    },
    lineHead: (path) => heads.get(path),
    tip: () => known,
  }
}

function checkReading(file: SharedFile, reading: Reading, copies: Copies): Reading {
  if (reading.fault !== null) throw faultError(file, reading.fault)
  const { own, seq } = reading.tip
  const copy = copies.get(seq)
  // Of two branches one was written elsewhere: it has no copies here.
  if (own !== null && reading.tip.sides.length === 0 && copy !== undefined && !copy.has(own.hash)) {
    throw corrupt(`${file}: the last record differs from the copy of record ${seq} in ledger.d.`)
  }
  return reading
}

/** Throws `ledger_fork` where branches are open. */
export function assertJoined(file: SharedFile, tip: Tip): void {
  const fork = forkIn(tip)
  if (fork !== null) throw faultError(file, fork)
}

/** What was published and is not in the file. The copies were listed before the file was read. */
export function unwritten(published: Published, tip: Tip, copies: Copies): Placed[] | { readonly problem: string } {
  const placed: Placed[] = []
  let at = tip
  for (;;) {
    const number = highest(at) + 1
    const line = published.read(number, at.hash)
    if (line === undefined) break
    const next = placeLine(line, at)
    if ('problem' in next) return { problem: `The copy of record ${number} in ledger.d ${next.problem}.` }
    if (next.tip.seq !== number) return { problem: `The copy of record ${number} in ledger.d has another number.` }
    placed.push(next)
    at = next.tip
  }
  const newest = Math.max(0, ...copies.keys())
  if (newest <= highest(at)) return placed
  return { problem: `Record ${newest} was written, but the ledger ends at ${at.seq}: the records between are gone.` }
}

/** A last line that lacks nothing but its LF: an editor's doing, not a torn write. */
function completeTornLine(torn: Buffer | null, tip: Tip): Placed[] {
  const whole = torn === null ? { problem: 'none' } : placeLine(torn, tip)
  return 'problem' in whole ? [] : [whole]
}

function sizeThen({ tip, torn }: Reading): number {
  return tip.end + (torn?.length ?? 0)
}

function sizeOf(file: SharedFile): number {
  return lookShared(file)?.size ?? 0
}

/** Whether the line a tip ends with is still where it was. */
function isThere(file: SharedFile, { start, end, hash }: Tip): boolean {
  return hash === null || hasLine(file, { start, end, hash })
}

/** Whether a line of that hash begins and ends at these bytes. */
export function hasLine(file: SharedFile, line: { start: number; end: number; hash: string }): boolean {
  const fd = openIfThere(file)
  if (fd === undefined) return false
  try {
    if (fstatSync(fd).size < line.end || line.start >= line.end) return false
    const bytes = Buffer.alloc(line.end - line.start)
    readSync(fd, bytes, 0, bytes.length, line.start)
    return bytes.at(-1) === 10 && sha256hex(bytes.subarray(0, -1)) === line.hash
  } finally {
    closeSync(fd)
  }
}

function setAside(file: SharedFile, torn: Buffer): Torn {
  return { bytes: torn.length, sha256: sha256hex(torn), saved_as: saveDamaged(file, torn) }
}

/** Returns the name the bytes are kept under: `agent_trace.jsonl.torn-<n>`. A repair done twice keeps them once. */
function saveDamaged(file: SharedFile, bytes: Buffer): string {
  for (let n = 1; ; n++) {
    const beside = new SharedFile(file.root, `${file.name}.torn-${n}`)
    try {
      createShared(beside, bytes)
      return basename(beside.name)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
      if (bytes.equals(readShared(beside))) return basename(beside.name)
    }
  }
}
