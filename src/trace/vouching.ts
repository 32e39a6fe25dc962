import { closeSync } from 'node:fs'
import { sha256hex } from '../../overlay/index.js'
import { defined } from '../core/defined.js'
import type { SharedFile } from '../core/layout.js'
import type { AbsentRecords, RecordRange, TraceRecord } from '../core/ledger-api.js'
import type { LedgerEntry } from './anchor-lines.js'
import type { Anchors, KnownLedger } from './anchors.js'
import { ownFieldsOf } from './chain.js'
import { parseLine, readLines } from './lines.js'
import { NumberedHashes } from './numbered.js'
import type { Copies } from './published.js'
import { openIfThere } from './scan.js'

/** Compares the lines of a ledger with the anchors of this machine. */
export class Vouching {
  readonly #known = new Map<string, KnownLedger>()
  /** The ledger named by the first record. Lines of other tools are anchored under it. */
  readonly ledger: string | undefined
  readonly #copies: ReadonlySet<string>
  readonly #ranges: Range[] = []
  readonly #numbers: true[] = []
  /** Lines without an anchor whose number an anchored record has. */
  readonly #contradicted: Place[] = []
  /** Records that the file must have and that were not read yet. */
  readonly #due = new NumberedHashes()
  /**
   * How many records the file must have of each number: several for two branches, or if one record replaced another.
   */
  readonly #dueNumbers: number[] = []
  readonly #replacing = new Map<number, number>()
  #highest = 0
  #anchored = 0
  #foreign = 0

  /** @param copies the lines that this workspace published: a killed process may not have anchored them */
  constructor(
    file: SharedFile,
    private readonly anchors: Anchors,
    copies: Copies,
  ) {
    this.#copies = new Set([...copies.values()].flatMap((hashes) => [...hashes]))
    this.ledger = firstLedger(file)
    for (const ledger of [this.ledger, anchors.firstLine()]) if (ledger !== undefined) this.#load(ledger)
  }

  /** Whether this machine vouches for a line. @param link the record's place in the chain; undefined for other tools */
  vouches(hash: string, link: () => Link | undefined): boolean {
    if (this.#copies.has(hash) || this.#isKnown(hash)) return true
    const ledger = link()?.ledger
    return ledger !== undefined && this.#load(ledger).has(hash)
  }

  /**
   * Reads the next line of the file. Returns whether this machine vouches for it.
   * @param own the line's number, if a caller has read it, which saves reading it again
   */
  read(line: number, hash: string, link: () => Link | undefined, own?: number): boolean {
    const isAt = own !== undefined && own > 0 && this.#isKnownAt(own, hash)
    const isVouched = isAt || this.vouches(hash, link)
    const seq = isAt ? own : (this.#numberOf(hash) ?? link()?.seq)
    if (seq === undefined) {
      if (!isVouched) this.#foreign++
      return isVouched
    }
    this.#highest = Math.max(this.#highest, seq)
    const isDue = this.#due.delete(seq, hash)
    if ((this.#dueNumbers[seq] ?? 0) > (isDue ? 1 : 0) && !this.#replacing.has(seq)) this.#replacing.set(seq, line)
    if (isVouched) {
      this.#numbers[seq] = true
      this.#anchored = Math.max(this.#anchored, seq)
    } else {
      extend(this.#ranges, seq)
      if (this.#known.get(link()?.ledger ?? '')?.hasNumber(seq)) this.#contradicted.push({ line, seq })
    }
    return isVouched
  }

  /** The findings after the last line. */
  result(): Found {
    const differs = this.#contradicted.find(({ seq }) => this.#numbers[seq] !== true)
    const newest = [...this.#known.values()].flatMap((known) => known.newest ?? [])
    const absent = newest
      .sort((a, b) => b.seq - a.seq)
      .find(({ seq }) => this.ledger !== undefined && seq > this.#highest)
    return {
      anchored: this.#anchored,
      ranges: mergeRanges(this.#ranges),
      foreign: this.#foreign,
      ...defined({ differs }),
      ...(absent !== undefined && { absent: { from: this.#highest + 1, ...absent } }),
    }
  }

  /**
   * The fault that anchors show: a record that was replaced, or that is missing.
   * @param lines the number of lines in the file
   */
  problem(lines: number): { readonly line: number; readonly reason: string } | undefined {
    const { differs } = this.result()
    const lost = this.missingLine(lines)
    if (differs === undefined || (lost !== undefined && lost.line < differs.line)) return lost
    const { line, seq } = differs
    const reason =
      `Line ${line} is record ${seq}, and this machine knows another record of that number: the ledger was rewritten, or ` +
      "the branch was created elsewhere. If it is right, accept it with 'escrow verify --join'."
    return { line, reason }
  }

  /** A record that the file must have on this branch and lacks. */
  missingLine(lines: number): { readonly line: number; readonly reason: string } | undefined {
    const expected = this.anchors.firstLine()
    const first = this.#due.lowest()
    if (lines > 0 && this.ledger !== undefined && expected !== undefined && expected !== this.ledger && first === 1)
      return {
        line: 1,
        reason: `Line 1 belongs to another ledger than the one that began on this branch. ${RESET_HINT}`,
      }
    if (first === undefined) return undefined
    const replacing = this.#replacing.get(first)
    const reason =
      replacing === undefined
        ? `Line ${lines + 1} is missing: this branch had record ${first}, and the ledger ends at ${this.#highest}.`
        : `Line ${replacing} is not the record ${first} that this branch had.`
    return { line: replacing ?? lines + 1, reason: `${reason} ${RESET_HINT}` }
  }

  #load(ledger: string): KnownLedger {
    const loaded = this.#known.get(ledger)
    if (loaded !== undefined) return loaded
    const known = this.anchors.of(ledger)
    this.#known.set(ledger, known)
    for (const [hash, seq] of known.here)
      if (this.#due.add(seq, hash)) this.#dueNumbers[seq] = (this.#dueNumbers[seq] ?? 0) + 1
    return known
  }

  #isKnownAt(seq: number, hash: string): boolean {
    for (const known of this.#known.values()) if (known.hasAt(seq, hash)) return true
    return false
  }

  #isKnown(hash: string): boolean {
    for (const known of this.#known.values()) if (known.has(hash)) return true
    return false
  }

  #numberOf(hash: string): number | undefined {
    for (const known of this.#known.values()) {
      const seq = known.numberOf(hash)
      if (seq !== undefined) return seq
    }
    return undefined
  }
}

export interface Found {
  /** The highest number of an anchored record; 0 if there is none. */
  readonly anchored: number
  readonly ranges: readonly RecordRange[]
  /** The number of unanchored lines of other tools. */
  readonly foreign: number
  readonly differs?: Place
  readonly absent?: AbsentRecords
}

interface Place {
  readonly line: number
  readonly seq: number
}

interface Link {
  readonly ledger: string
  readonly seq: number
}

interface Range {
  from: number
  to: number
}

const RESET_HINT = "Where the ledger was reset or started again on purpose, accept it with 'escrow verify --anchor'."

/** A line that no anchor on this machine vouches for. */
export interface Unvouched {
  readonly value: TraceRecord
  readonly entry: LedgerEntry
  readonly ledger: string
}

/** Passes the complete lines of a ledger to `vouching`, and yields those without an anchor. */
export function* unvouchedLines(file: SharedFile, vouching: Vouching): Generator<Unvouched> {
  const fd = openIfThere(file)
  if (fd === undefined) return
  try {
    for (const line of readLines(fd)) {
      if (!line.terminated || line.oversize) return
      let link: LineLink | undefined
      const read = () => {
        link ??= linkOf(line)
        return link.own
      }
      const hash = sha256hex(line.bytes)
      if (vouching.read(line.number, hash, read)) continue
      const { value, own } = link ?? linkOf(line)
      const ledger = own?.ledger ?? vouching.ledger
      if (value !== undefined && ledger !== undefined) yield { value, ledger, entry: { seq: own?.seq ?? 0, hash } }
    }
  } finally {
    closeSync(fd)
  }
}

interface LineLink {
  readonly value?: TraceRecord
  readonly own?: Link
}

function linkOf(line: Parameters<typeof parseLine>[0]): LineLink {
  const parsed = parseLine(line)
  if ('problem' in parsed) return {}
  const own = linkIn(parsed.value)
  return { value: parsed.value, ...defined({ own }) }
}

/** A record's place in the chain; undefined if another tool wrote it. */
export function linkIn(value: TraceRecord): Link | undefined {
  const own = ownFieldsOf(value)
  return own === undefined || 'problem' in own ? undefined : own
}

function firstLedger(file: SharedFile): string | undefined {
  const fd = openIfThere(file)
  if (fd === undefined) return undefined
  try {
    for (const line of readLines(fd)) {
      const { own } = linkOf(line)
      if (own !== undefined) return own.ledger
    }
    return undefined
  } finally {
    closeSync(fd)
  }
}

/** Numbers usually rise by one, which extends the last range. */
function extend(ranges: Range[], seq: number): void {
  const last = ranges.at(-1)
  if (last !== undefined && seq === last.to + 1) last.to = seq
  else ranges.push({ from: seq, to: seq })
}

/** Sorted and without overlap: two branches can have the same numbers. */
function mergeRanges(ranges: readonly Range[]): Range[] {
  const out: Range[] = []
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = out.at(-1)
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to)
    else out.push({ from, to })
  }
  return out
}
