import { closeSync, fstatSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { codeOf, sha256hex } from '../../overlay/index.js'
import type { TraceRecord } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { type Layout, SharedFile } from '../core/layout.js'
import { createShared, extendShared, lookShared, readShared, syncOrchestration } from '../os/shared-files.js'
import type { AnchorQueue } from './anchor-queue.js'
import { EMPTY_TIP, highest, type Tip } from './chain.js'
import { newDraft } from './draft.js'
import { corrupt, faultError } from './faults.js'
import { type LineHeads, noteHeads } from './line-heads.js'
import { joinLines, type Placed, placeDraft, placeLine } from './place.js'
import { type Copies, type Published, writeOrWithdraw } from './published.js'
import { type ReadingPoints, readingPoints } from './reading-point.js'
import { forkIn, openIfThere, type Reading, readChain, readChainAsync } from './scan.js'
import type { Vcs } from './vcs.js'

const MAX_REPAIRS = 100

/** The parts that a ledger file is kept in sync with, and the listeners for its new records. */
export interface LedgerFileParts {
  readonly layout: Layout
  readonly published: Published
  readonly vcs: () => Vcs | undefined
  readonly anchorQueue: AnchorQueue
}

/** The tip of a file whose branches may be open. */
export interface Forked {
  readonly tip: Tip
  /**
   * Bytes after the tip that are not a whole line. They are saved in a file next to the ledger, for the next record to
   * name.
   */
  readonly torn?: Torn
}

interface Torn {
  readonly bytes: number
  readonly sha256: string
  readonly saved_as: string
}

/**
 * The ledger's file, kept equal to the published lines.
 *
 * The chain determines the byte offset of each record, and lines are written at their offset: two processes that both
 * believe they hold the lock write the same bytes to the same place.
 */
export class LedgerFile {
  readonly #file: SharedFile
  readonly #heads: LineHeads = new Map()
  readonly #points: ReadingPoints
  #tip = EMPTY_TIP

  constructor(private readonly parts: LedgerFileParts) {
    this.#file = parts.layout.ledgerFile
    this.#points = readingPoints(parts.layout)
  }

  /** The end of the last read or write. */
  get tip(): Tip {
    return this.#tip
  }

  /** The digest of the last content of a path whose lines the ledger records, as far as it was read. */
  lineHead(path: string): string | undefined {
    return this.#heads.get(path)
  }

  /**
   * Reads new lines without blocking the event loop, so that the next call has less to read. Throws as {@link
   * readRepaired} does.
   */
  async warm(): Promise<Tip> {
    if (this.#tip.end === 0) await this.#resume()
    const reading = await readChainAsync(this.#file, this.#startingTip(), new Map(), this.#onRecord)
    this.#tip = checkReading(this.#file, reading, new Map()).tip
    this.#points.keep(this.#tip, this.#heads)
    return this.#tip
  }

  /**
   * The tip of the whole file, after repairs.
   * @throws EscrowError `ledger_corrupt` or `ledger_fork`, and writes nothing then
   */
  readRepaired(): Tip {
    return this.#readAndRepair(false).tip
  }

  /** As {@link readRepaired}, for a file with open branches. The record that joins them replaces a torn end. */
  readForked(): Forked {
    return this.#readAndRepair(true)
  }

  /**
   * Writes published lines after a tip, durably.
   * @param torn the number of bytes after the tip to overwrite
   * @returns false if the file no longer ends there
   */
  extend(tip: Tip, placed: readonly Placed[], torn = 0): boolean {
    if (placed.length === 0) return true
    if (!extendShared(this.#file, joinLines(placed), tip.end, tip.end + torn)) return false
    if (tip.end === 0) syncOrchestration(this.parts.layout)
    this.parts.anchorQueue.add(placed)
    this.#tip = placed.at(-1)?.tip ?? tip
    for (const { record } of placed) this.#onRecord(record)
    return true
  }

  readonly #onRecord = (record: TraceRecord): undefined => noteHeads(this.#heads, record)

  #startingTip(): Tip {
    if (isThere(this.#file, this.#tip)) return this.#tip
    this.#heads.clear()
    return EMPTY_TIP
  }

  /** Continues from the reading point that an earlier process saved. */
  async #resume(): Promise<void> {
    const point = await this.#points.load()
    if (point === undefined || !isThere(this.#file, point.tip)) return
    this.#tip = point.tip
    for (const [path, digest] of point.heads) this.#heads.set(path, digest)
  }

  #readAndRepair(mayFork: boolean): Forked {
    const { published } = this.parts
    for (let tries = 0; tries < MAX_REPAIRS; tries++) {
      const copies = published.hashes()
      const reading = checkReading(
        this.#file,
        readChain(this.#file, this.#startingTip(), copies, this.#onRecord),
        copies,
      )
      if (!mayFork) assertJoined(this.#file, reading.tip)
      if (published.sweep(highest(reading.tip))) continue
      const missing = unwritten(published, reading.tip, copies)
      if ('problem' in missing) {
        // No fault if the file grew meanwhile: another process may have pruned the copies we looked for.
        if (sizeOf(this.#file) === sizeAtRead(reading)) throw corrupt(missing.problem)
        continue
      }
      if (reading.torn === null && missing.length === 0) {
        this.#tip = reading.tip
        return { tip: reading.tip }
      }
      const { tip, torn } = reading
      if (missing.length > 0 || tip.sides.length === 0 || torn === null) this.#repair(reading, missing)
      else if (completeTornLine(torn, tip).length === 0) return { tip, torn: saveTorn(this.#file, torn) }
      else extendShared(this.#file, Buffer.from('\n'), sizeAtRead(reading))
    }
    throw new EscrowError('ledger_unavailable', `${this.#file} is being changed by another program.`)
  }

  /**
   * Saves a torn end in a file next to the ledger, cuts it, and writes the missing lines. The record of the repair is
   * published first.
   */
  #repair(reading: Reading, missing: readonly Placed[]): void {
    const { published, vcs, anchorQueue } = this.parts
    const { tip, torn } = reading
    const restored = missing.length > 0 ? missing : completeTornLine(torn, tip)
    const data = {
      ...(torn ? saveTorn(this.#file, torn) : { bytes: 0, sha256: null, saved_as: null }),
      restored: restored.map(({ record }) => String(record.id ?? '')),
    }
    const draft = newDraft({ type: 'recovered', intent: null, session: null, data })
    const last = restored.at(-1)?.tip ?? tip
    const note = placeDraft(draft, last, vcs())
    // Taken: another process has written meanwhile. The caller reads its records first.
    if (!published.publish(note.tip.seq, last.hash, note.line)) return
    // A last line that only lacks its LF has no copy: any program may have written it, so it is not anchored.
    const isWritten = writeOrWithdraw(published, last.hash, [note], () =>
      extendShared(this.#file, joinLines([...restored, note]), tip.end, sizeAtRead(reading)),
    )
    if (isWritten) anchorQueue.add([...missing, note])
  }
}

function checkReading(file: SharedFile, reading: Reading, copies: Copies): Reading {
  if (reading.fault !== null) throw faultError(file, reading.fault)
  const { own, seq } = reading.tip
  const copy = copies.get(seq)
  // With two open branches, one was written elsewhere and has no copies here.
  if (own !== null && reading.tip.sides.length === 0 && copy !== undefined && !copy.has(own.hash)) {
    throw corrupt(`${file}: the last record differs from the copy of record ${seq} in ledger.d.`)
  }
  return reading
}

/** @throws EscrowError `ledger_fork` if branches are open */
export function assertJoined(file: SharedFile, tip: Tip): void {
  const fork = forkIn(tip)
  if (fork !== null) throw faultError(file, fork)
}

/** Published lines that are missing from the file. `copies` must be listed before the file is read. */
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
  return {
    problem: `Record ${newest} was written, but the ledger ends at ${at.seq}: the records between them are missing.`,
  }
}

/** A last line that lacks only its LF: an editor removed it, so this is not a torn write. */
function completeTornLine(torn: Buffer | null, tip: Tip): Placed[] {
  const whole = torn === null ? { problem: 'none' } : placeLine(torn, tip)
  return 'problem' in whole ? [] : [whole]
}

function sizeAtRead({ tip, torn }: Reading): number {
  return tip.end + (torn?.length ?? 0)
}

function sizeOf(file: SharedFile): number {
  return lookShared(file)?.size ?? 0
}

/** Whether the last line of a tip is still at its offset. */
function isThere(file: SharedFile, { start, end, hash }: Tip): boolean {
  return hash === null || hasLine(file, { start, end, hash })
}

/** Whether a line with this hash is at these byte offsets. */
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

function saveTorn(file: SharedFile, torn: Buffer): Torn {
  return { bytes: torn.length, sha256: sha256hex(torn), saved_as: saveDamaged(file, torn) }
}

/**
 * Saves bytes as `agent_trace.jsonl.torn-<n>`. A repair that runs twice saves them once.
 * @returns the name
 */
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
