import { sha256hex } from '../../overlay/index.js'
import type { SharedFile } from '../core/layout.js'
import { foldLine, type LineFold, NO_LINES, ownFieldsOf } from './chain.js'
import { knownKeys } from './keys.js'
import { ownRecord, ownRecordOf } from './own-record.js'
import { wholeLines } from './read.js'
import type { BranchEnd, ChainLink } from './record.js'

const LF = 10

/** A line of the ledger. Other lines are named by their index. */
interface Place {
  readonly hash: string
  readonly isForeign: boolean
  /** True for lines that a signature must cover: new commits, undos and lines of other tools. */
  readonly matters: boolean
  /** The line that it signs. */
  readonly signs: number | undefined
  /** The lines that it continues or joins. */
  readonly follows: readonly Followed[]
}

interface Followed {
  readonly at: number
  /** Whether the reference also names the lines of other tools before that line. */
  readonly withForeign: boolean
  /** Our record before those lines. */
  readonly base: number | undefined
}

/**
 * Whether checkpoints that known keys have signed cover every new commit of a ledger, and every new line of another tool. A checkpoint
 * covers the record that it signs, and what this record continues or joins. It does not cover a branch that a later record joins,
 * wherever git has put its lines.
 * @param file a verified ledger
 * @param accepted the lines that need no signature
 */
export function isCovered(file: SharedFile, accepted: Accepted): boolean {
  const places = readPlaces(file, accepted)
  const covered = new Set<number>()
  const withForeign = new Set<number>()
  // A line refers only to earlier ones.
  for (const [at, { matters, signs, follows }] of [...places.entries()].reverse()) {
    if (signs !== undefined) covered.add(signs)
    if (!covered.has(at)) {
      if (matters) return false
      continue
    }
    for (const end of follows) {
      covered.add(end.at)
      if (end.base !== undefined) covered.add(end.base)
      for (let each = end.at; end.withForeign && places[each]?.isForeign && !withForeign.has(each); each--) {
        withForeign.add(each)
        covered.add(each)
      }
    }
  }
  return true
}

/**
 * The hashes of the records of a ledger that the records with the given hashes continue or join, and of these. With the lines of other tools:
 * no record is behind them.
 * @param file a verified ledger
 */
export function linesBehind(file: SharedFile, heads: ReadonlySet<string>): ReadonlySet<string> {
  const places = readPlaces(file, new Accepted(Buffer.alloc(0)))
  const reached = new Set<number>()
  for (const [at, { hash, follows }] of [...places.entries()].reverse()) {
    if (heads.has(hash)) reached.add(at)
    if (!reached.has(at)) continue
    for (const end of follows) for (const each of [end.at, end.base]) if (each !== undefined) reached.add(each)
  }
  return new Set(places.flatMap(({ hash, isForeign }, at) => (isForeign || reached.has(at) ? [hash] : [])))
}

/** The lines of another ledger, with the number of times that each occurs. */
export class Accepted {
  readonly #left = new Map<string, number>()

  /** @param ledger the bytes of the file */
  constructor(ledger: Uint8Array) {
    for (const line of splitLines(Buffer.from(ledger))) {
      const hash = sha256hex(line)
      this.#left.set(hash, (this.#left.get(hash) ?? 0) + 1)
    }
  }

  /** Whether it has a line of this hash that was not taken yet. */
  take(hash: string): boolean {
    const left = this.#left.get(hash) ?? 0
    this.#left.set(hash, left - 1)
    return left > 0
  }
}

function* splitLines(bytes: Buffer): Generator<Buffer> {
  let start = 0
  for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
    yield bytes.subarray(start, end)
    start = end + 1
  }
}

function readPlaces(file: SharedFile, accepted: Accepted): Place[] {
  const places: Place[] = []
  const index = new LineIndex()
  const keys = knownKeys()
  for (const { line, value } of wholeLines(file)) {
    const hash = sha256hex(line.bytes)
    const link = ownFieldsOf(value)
    const isForeign = link === undefined || 'problem' in link
    const type = ownRecord(value)?.type
    const needsCover = isForeign || type === undefined || type === 'commit' || type === 'undo'
    const { key, signed_hash: signs } = ownRecordOf(value, 'checkpoint') ?? {}
    places.push({
      hash,
      isForeign,
      matters: !accepted.take(hash) && needsCover,
      signs: key !== undefined && keys.has(key) ? index.at(signs) : undefined,
      follows: isForeign ? [] : endsOf(link).flatMap((end) => index.find(end) ?? []),
    })
    index.add(hash, isForeign)
  }
  return places
}

function endsOf({ prev, foreign, joins = [] }: ChainLink): Pick<BranchEnd, 'hash' | 'foreign'>[] {
  return [{ hash: prev, ...(foreign !== undefined && { foreign }) }, ...joins]
}

/** Finds the nearest earlier line by the hash or the fold that a record names. */
class LineIndex {
  #next = 0
  #fold: LineFold = NO_LINES
  /** Our last record. */
  #base: { readonly at: number; readonly hash: string } | undefined
  readonly #byHash = new Map<string, number>()
  readonly #byFold = new Map<string, Followed>()

  at(hash: string | null | undefined): number | undefined {
    return hash == null ? undefined : this.#byHash.get(hash)
  }

  find({ hash, foreign }: Pick<BranchEnd, 'hash' | 'foreign'>): Followed | undefined {
    const at = this.at(hash)
    if (foreign === undefined) return at === undefined ? undefined : { at, withForeign: false, base: undefined }
    // Records of earlier versions do not name the record before those lines.
    if (foreign.after !== undefined) return this.#byFold.get(`${foreign.sha256} ${foreign.after}`)
    const end = this.#byFold.get(foreign.sha256)
    return end && { ...end, base: undefined }
  }

  add(hash: string, isForeign: boolean): void {
    const at = this.#next++
    this.#byHash.set(hash, at)
    this.#fold = isForeign ? foldLine(this.#fold, hash) : NO_LINES
    if (!isForeign) this.#base = { at, hash }
    else {
      const end = { at, withForeign: true, base: this.#base?.at }
      this.#byFold.set(this.#fold.sha256, end)
      this.#byFold.set(`${this.#fold.sha256} ${this.#base?.hash ?? null}`, end)
    }
  }
}
