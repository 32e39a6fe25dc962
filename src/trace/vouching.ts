import { closeSync } from 'node:fs'
import { sha256hex } from '../../overlay/index.js'
import { defined } from '../core/defined.js'
import type { SharedFile } from '../core/layout.js'
import type { AbsentRecords, RecordRange, TraceRecord } from '../core/ledger-api.js'
import type { LedgerEntry } from './anchor-lines.js'
import type { Anchors, KnownLedger } from './anchors.js'
import { ownFieldsOf } from './chain.js'
import { parseLine, readLines } from './lines.js'
import type { Copies } from './published.js'
import { openIfThere } from './scan.js'

/** The lines of a ledger, held against what this machine knows of it. */
export class Vouching {
  readonly #known = new Map<string, KnownLedger>()
  /** The ledger's first record names the ledger that lines of other tools are anchored under. */
  readonly ledger: string | undefined
  readonly #copies: ReadonlySet<string>
  readonly #ranges: Range[] = []
  readonly #numbers = new Set<number>()
  /** Records that nothing vouches for, whose number another record has here. */
  readonly #doubtful: Place[] = []
  /** Records that must be in the file and were not met yet, and what was met in their place. */
  readonly #due = new Map<string, number>()
  /** How many records of a number must be there: of two branches, or one in the place of another. */
  readonly #dueNumbers = new Map<number, number>()
  readonly #instead = new Map<number, number>()
  #highest = 0
  #anchored = 0
  #foreign = 0

  /** @param copies what this workspace published: a killed process may not have anchored it. */
  constructor(
    file: SharedFile,
    private readonly anchors: Anchors,
    copies: Copies,
  ) {
    this.#copies = new Set([...copies.values()].flatMap((hashes) => [...hashes]))
    this.ledger = firstLedger(file)
    for (const ledger of [this.ledger, anchors.firstLine()]) if (ledger !== undefined) this.#load(ledger)
  }

  /** Whether this machine vouches for a line. @param link the record's place in the chain; undefined for other tools. */
  vouches(hash: string, link: () => Link | undefined): boolean {
    if (this.#copies.has(hash) || this.#isKnown(hash)) return true
    const ledger = link()?.ledger
    return ledger !== undefined && this.#load(ledger).has(hash)
  }

  /** Takes in the next line of the file. Answers whether this machine vouches for it. */
  take(line: number, hash: string, link: () => Link | undefined): boolean {
    const isVouched = this.vouches(hash, link)
    const seq = this.#numberOf(hash) ?? link()?.seq
    if (seq === undefined) {
      if (!isVouched) this.#foreign++
      return isVouched
    }
    this.#highest = Math.max(this.#highest, seq)
    const isDue = this.#due.delete(hash)
    if ((this.#dueNumbers.get(seq) ?? 0) > (isDue ? 1 : 0) && !this.#instead.has(seq)) this.#instead.set(seq, line)
    if (isVouched) {
      this.#numbers.add(seq)
      this.#anchored = Math.max(this.#anchored, seq)
    } else {
      extend(this.#ranges, seq)
      if (this.#known.get(link()?.ledger ?? '')?.hasNumber(seq)) this.#doubtful.push({ line, seq })
    }
    return isVouched
  }

  /** After the last line: what this machine can say of the ledger. */
  result(): Found {
    const differs = this.#doubtful.find(({ seq }) => !this.#numbers.has(seq))
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
   * What is wrong with the ledger, as far as anchors show it: a record that another one replaced, or that is gone.
   * @param lines how many the file has.
   */
  problem(lines: number): { readonly line: number; readonly reason: string } | undefined {
    const { differs } = this.result()
    const lost = this.missingLine(lines)
    if (differs === undefined || (lost !== undefined && lost.line < differs.line)) return lost
    const { line, seq } = differs
    const reason =
      `Line ${line} is record ${seq}, and this machine knows another record of that number: the ledger was rewritten, or ` +
      "its branch was made elsewhere. Where it is right, 'escrow verify --join' accepts it."
    return { line, reason }
  }

  /** A record that must be in the file on this branch, and is not. */
  missingLine(lines: number): { readonly line: number; readonly reason: string } | undefined {
    const begun = this.anchors.firstLine()
    const [first] = [...this.#due.values()].sort((a, b) => a - b)
    if (lines > 0 && this.ledger !== undefined && begun !== undefined && begun !== this.ledger && first === 1)
      return {
        line: 1,
        reason: `Line 1 belongs to another ledger than the one that was begun on this branch. ${SET_BACK}`,
      }
    if (first === undefined) return undefined
    const instead = this.#instead.get(first)
    const reason =
      instead === undefined
        ? `Line ${lines + 1} is missing: this branch had record ${first}, and the ledger ends at ${this.#highest}.`
        : `Line ${instead} is not the record ${first} that this branch had.`
    return { line: instead ?? lines + 1, reason: `${reason} ${SET_BACK}` }
  }

  #load(ledger: string): KnownLedger {
    const loaded = this.#known.get(ledger)
    if (loaded !== undefined) return loaded
    const known = this.anchors.of(ledger)
    this.#known.set(ledger, known)
    for (const [hash, seq] of known.here) {
      this.#due.set(hash, seq)
      this.#dueNumbers.set(seq, (this.#dueNumbers.get(seq) ?? 0) + 1)
    }
    return known
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
  /** The highest number of a record this machine vouches for; 0 where there is none. */
  readonly anchored: number
  readonly ranges: readonly RecordRange[]
  /** Lines of other tools that nothing here vouches for. */
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

const SET_BACK = "Where the ledger was set back or begun again on purpose, 'escrow verify --anchor' says so."

/** A line that nothing on this machine vouches for. */
export interface Unvouched {
  readonly value: TraceRecord
  readonly entry: LedgerEntry
  readonly ledger: string
}

/** Reads the whole lines of a ledger into what is found of it, and yields those that nothing vouches for. */
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
      if (vouching.take(line.number, hash, read)) continue
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

/** The place in the chain that a record names; undefined where another tool wrote it. */
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

/** Mostly the numbers rise by one. */
function extend(ranges: Range[], seq: number): void {
  const last = ranges.at(-1)
  if (last !== undefined && seq === last.to + 1) last.to = seq
  else ranges.push({ from: seq, to: seq })
}

/** Sorted, each number once: two branches can have the same ones. */
function mergeRanges(ranges: readonly Range[]): Range[] {
  const out: Range[] = []
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = out.at(-1)
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to)
    else out.push({ from, to })
  }
  return out
}
