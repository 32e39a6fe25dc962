import { sha256hex } from '../../overlay/index.js'
import type { TraceRecord } from '../core/api.js'
import { isObject } from '../core/is-object.js'
import { count, objectsOf } from './fields.js'
import { OWN } from './own-record.js'
import type { BranchEnd, ChainLink, ForeignLines } from './record.js'

/**
 * The chain, as a pure fold over lines. Each record of ours has the hash of the line before it. Lines of other tools
 * have no such hash, so our next record also has the fold of their hashes, `fold = sha256(fold + hash)`, in hex, from
 * '', and the hash of our record before them.
 *
 * After a merge by git, a ledger has the lines of two branches. Each is its own chain from the line where they
 * diverged. A merge record that names the ends of both joins them; its number is one more than the highest of theirs.
 */

/** An end of the chain, which the next record continues. */
export interface Head {
  readonly ledger: string | null
  /** The number of our last record; 0 before the first. */
  readonly seq: number
  /** Hex SHA-256 of the last line, ours or another tool's. */
  readonly hash: string | null
  /** Our last record: its hash, and the byte offsets of its first byte and of the byte after its line. */
  readonly own: { readonly hash: string; readonly start: number; readonly end: number } | null
  /** Lines of other tools after our last record. */
  readonly foreign: { readonly lines: number; readonly sha256: string }
}

/** The position of a reader: the end of the branch that the last line belongs to. */
export interface Tip extends Head {
  readonly lines: number
  /** Byte offsets of the last line and of the byte after it. */
  readonly start: number
  readonly end: number
  /** The hash of the record that our last one continues. */
  readonly parent: string | null
  /** Ends of other branches that no merge record has joined yet. */
  readonly sides: readonly Side[]
}

export interface Side extends Head {
  readonly left: number
}

/** Finds the end of the chain after an earlier line, by the line's hash; null for the start of the file. */
export type HeadAt = (hash: string | null) => Head | undefined

export const NO_LINES: Head['foreign'] = { lines: 0, sha256: '' }

export const NO_HEAD: Head = { ledger: null, seq: 0, hash: null, own: null, foreign: NO_LINES }

export const EMPTY_TIP: Tip = { ...NO_HEAD, lines: 0, start: 0, end: 0, parent: null, sides: [] }

/** The limit of branches that are open at the same time. */
const MAX_SIDES = 256

/** A fault of a line. `unlinked`: its `prev` is not the hash of the line before, so either of the two was changed. */
export interface Break {
  readonly problem: string
  readonly unlinked?: true
}

/**
 * The tip after one more line, or why the line cannot follow.
 * @param size bytes of the line with its LF
 */
export function step(tip: Tip, value: TraceRecord, hash: string, size: number, headAt: HeadAt = noHead): Tip | Break {
  const own = ownFieldsOf(value)
  const [lines, start, end] = [tip.lines + 1, tip.end, tip.end + size]
  if (own === undefined) return { ...tip, lines, start, end, hash, foreign: foldLine(tip.foreign, hash) }
  if ('problem' in own) return own
  const from = branchOf(tip, own, headAt)
  if ('problem' in from) return from
  const sides = joinSides(from.sides, own, headAt)
  if ('problem' in sides) return sides
  const parent = from.head.own?.hash ?? null
  const { ledger, seq } = own
  return { lines, start, end, hash, ledger, seq, own: { hash, start, end }, foreign: NO_LINES, parent, sides }
}

function noHead(): undefined {}

/** The highest number of our records, on any branch. */
export function highest({ seq, sides }: Tip): number {
  return Math.max(seq, ...sides.map((side) => side.seq))
}

/** The chain fields of the record that continues the tip. */
export function nextLink(tip: Tip, newLedger: () => string): ChainLink {
  return { ...linkAfter(tip, newLedger), seq: tip.seq + 1 }
}

/** The chain fields of a merge record that continues the tip and joins the other branches. */
export function joiningLink(tip: Tip, newLedger: () => string): ChainLink {
  const joins = tip.sides.map((side) =>
    Object.assign({ ledger: side.ledger, seq: side.seq, hash: side.hash }, foreignOf(side)),
  )
  return { ...linkAfter(tip, newLedger), seq: highest(tip) + 1, joins }
}

function linkAfter(tip: Tip, newLedger: () => string): Omit<ChainLink, 'seq'> {
  return {
    ledger: tip.ledger ?? newLedger(),
    prev: tip.hash,
    ...foreignOf(tip),
  }
}

function foreignOf({ foreign, own }: Head): { readonly foreign?: ForeignLines } {
  return foreign.lines > 0 ? { foreign: { ...foreign, after: own?.hash ?? null } } : {}
}

/** The chain fields of a line; undefined for a line of another tool. */
export function ownFieldsOf(value: TraceRecord): ChainLink | Break | undefined {
  const own = isObject(value.metadata) ? value.metadata[OWN] : undefined
  if (own === undefined) return undefined
  if (!isObject(own)) return { problem: `has a metadata["${OWN}"] that is not an object` }
  const { ledger, seq, prev, foreign, joins } = own
  if (typeof ledger !== 'string') return { problem: 'names no ledger' }
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return { problem: 'has no sequence number' }
  if (prev !== null && typeof prev !== 'string') return { problem: 'does not name the line before it' }
  const ends = joins === undefined ? undefined : joinsOf(joins)
  if (ends === null) return { problem: 'joins branches in an unknown format' }
  const link = ends === undefined ? { ledger, seq, prev } : { ledger, seq, prev, joins: ends }
  if (foreign === undefined) return link
  const others = foreignIn(foreign)
  return others === undefined
    ? { problem: 'covers lines of other tools in an unknown format' }
    : { ...link, foreign: others }
}

function foreignIn(value: unknown): ForeignLines | undefined {
  const { lines, sha256, after } = isObject(value) ? value : {}
  if (typeof lines !== 'number' || typeof sha256 !== 'string') return undefined
  if (after === undefined) return { lines, sha256 }
  return after === null || typeof after === 'string' ? { lines, sha256, after } : undefined
}

function joinsOf(value: unknown): BranchEnd[] | null {
  if (!Array.isArray(value) || value.length === 0) return null
  const ends = objectsOf(value).flatMap(({ ledger, seq, hash, foreign }) => {
    const at = count(seq)
    const isEnd = (ledger === null || typeof ledger === 'string') && at !== undefined && typeof hash === 'string'
    if (!isEnd) return []
    if (foreign === undefined) return [{ ledger, seq: at, hash }]
    const others = foreignIn(foreign)
    return others === undefined ? [] : [{ ledger, seq: at, hash, foreign: others }]
  })
  return ends.length === value.length ? ends : null
}

/**
 * The branch that a record continues, and the other branches that are open then. Git puts the lines of two branches one
 * after the other, so a record may continue the end of another branch, or an older line and begin a branch there.
 */
function branchOf(tip: Tip, own: ChainLink, headAt: HeadAt): { head: Head; sides: readonly Side[] } | Break {
  const problem = check(tip, own)
  if (problem === undefined) return { head: tip, sides: tip.sides }
  // Branches can end with the same line of another tool.
  const ends = tip.sides.filter(({ hash }) => hash === own.prev)
  const side = ends.find((end) => check(end, own) === undefined) ?? ends[0]
  if (side === undefined && own.prev === tip.hash) return problem
  const head = side ?? headAt(own.prev)
  const fault = head === undefined ? problem : check(head, own)
  if (head === undefined || fault !== undefined) return fault ?? problem
  const { ledger, seq, hash, own: last, foreign } = tip
  const left: Side = { ledger, seq, hash, own: last, foreign, left: tip.lines + 1 }
  const sides = [...tip.sides.filter((each) => each !== side), left]
  return sides.length > MAX_SIDES ? { problem: `leaves more than ${MAX_SIDES} branches open` } : { head, sides }
}

/**
 * The branches that stay open after a record. Each branch it joins must exist, and is closed unless it continued
 * elsewhere.
 */
function joinSides(sides: readonly Side[], { joins }: ChainLink, headAt: HeadAt): readonly Side[] | Break {
  if (joins === undefined) return sides
  let open = sides
  for (const { ledger, seq, hash, foreign } of joins) {
    const matching = open.filter((each) => each.hash === hash)
    const side = matching.find((each) => each.seq === seq && !(foreign && foreignProblem(each, foreign))) ?? matching[0]
    const end = side ?? headAt(hash)
    if (end === undefined || end.seq !== seq || end.ledger !== ledger) {
      return { problem: `joins a branch that ended with record ${seq}, which is missing` }
    }
    const problem = foreign && foreignProblem(end, foreign)
    if (problem !== undefined) return problem
    open = open.filter((each) => each !== side)
  }
  return open
}

function check(head: Head, own: ChainLink): Break | undefined {
  const due = 1 + (own.joins ?? []).reduce((most, { seq }) => Math.max(most, seq), head.seq)
  if (head.ledger !== null && own.ledger !== head.ledger) return { problem: 'belongs to another ledger' }
  if (own.seq > due) {
    return { problem: `has sequence number ${own.seq} where ${due} is expected: records before it are missing` }
  }
  if (own.seq < due) {
    return { problem: `has sequence number ${own.seq} where ${due} is expected: it is out of order or repeated` }
  }
  if (own.prev !== head.hash) return { problem: 'does not follow from the line before it', unlinked: true }
  return foreignProblem(head, own.foreign ?? NO_LINES)
}

/** Lines of other tools do not refer to a previous line, so our record after them also names our record before them. */
function foreignProblem({ foreign, own }: Head, claimed: ForeignLines): Break | undefined {
  if (claimed.lines !== foreign.lines || claimed.sha256 !== foreign.sha256)
    return { problem: 'follows lines of other tools that were changed since' }
  if (claimed.after === undefined || claimed.after === (own?.hash ?? null)) return undefined
  return { problem: 'follows lines of other tools, and the record before them was changed since' }
}

/** A number of lines, and the fold of their hashes. */
export type LineFold = Head['foreign']

/** The fold of some lines and the next one. */
export function foldLine(fold: LineFold, hash: string): LineFold {
  return { lines: fold.lines + 1, sha256: sha256hex(fold.sha256 + hash) }
}
