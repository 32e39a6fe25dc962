import { createHash } from 'node:crypto'
import { isObject } from '../core/is-object.js'

const LF = 10

interface Line {
  readonly hash: string
  /** Our own fields; undefined for a line of another tool. */
  readonly own: Readonly<Record<string, unknown>> | undefined
  /** The number of the last record of ours before a line of another tool; -1 if there is none. */
  readonly base: number
  /** The lines of other tools since then, as the chain names them. */
  readonly fold: { readonly lines: number; readonly sha256: string }
}

const NO_LINES = { lines: 0, sha256: '' }

/**
 * Whether signed checkpoints cover every commit of a ledger, and every line of another tool. A checkpoint covers the record that it signs,
 * and what this record continues or joins. It does not cover a branch that a later record joins, wherever git has put its lines.
 * @param ledger a verified ledger, of which known keys have signed all checkpoints
 */
export function isCovered(ledger: Uint8Array): boolean {
  const lines = readLines(Buffer.from(ledger))
  const places = placesOf(lines)
  const covered = new Set<number>()
  for (const [at, line] of [...lines.entries()].reverse()) {
    const { own } = line
    if (own?.type === 'checkpoint') cover(covered, placeOf(lines, places, own.signed_hash, at))
    if (covered.has(at)) for (const earlier of continued(lines, places, line, at)) cover(covered, earlier)
    else if (own === undefined || own.type === undefined || own.type === 'commit' || own.type === 'undo') return false
  }
  return true
}

function cover(covered: Set<number>, at: number | undefined): void {
  if (at !== undefined && at >= 0) covered.add(at)
}

/** The lines that a line names. One of another tool names none: the record after it names all of them. */
function continued(
  lines: readonly Line[],
  places: ReadonlyMap<string, readonly number[]>,
  { own }: Line,
  at: number,
): (number | undefined)[] {
  if (own === undefined) return []
  const joins = Array.isArray(own.joins) ? own.joins.filter(isObject) : []
  return [{ hash: own.prev, foreign: own.foreign }, ...joins].flatMap(({ hash, foreign }) => {
    if (!isObject(foreign)) return placeOf(lines, places, hash, at)
    const end = placeOf(lines, places, hash, at, ({ fold, base }) => {
      const isBase = foreign.after === undefined || foreign.after === (lines[base]?.hash ?? null)
      return fold.lines === foreign.lines && fold.sha256 === foreign.sha256 && isBase
    })
    if (end === undefined) return []
    const others = Array.from({ length: lines[end]?.fold.lines ?? 0 }, (_, n) => end - n)
    // Records of earlier versions do not name the record before those lines.
    return foreign.after === undefined ? others : [...others, lines[end]?.base]
  })
}

/** The nearest line with a hash before another line. */
function placeOf(
  lines: readonly Line[],
  places: ReadonlyMap<string, readonly number[]>,
  hash: unknown,
  before: number,
  isWanted: (line: Line) => boolean = () => true,
): number | undefined {
  const found = typeof hash === 'string' ? places.get(hash) : undefined
  return found?.findLast((at) => {
    const line = lines[at]
    return at < before && line !== undefined && isWanted(line)
  })
}

function placesOf(lines: readonly Line[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>()
  for (const [at, { hash }] of lines.entries()) {
    const known = places.get(hash)
    if (known === undefined) places.set(hash, [at])
    else known.push(at)
  }
  return places
}

function readLines(ledger: Buffer): Line[] {
  const lines: Line[] = []
  let [start, base, fold] = [0, -1, NO_LINES]
  for (let end = ledger.indexOf(LF); end !== -1; end = ledger.indexOf(LF, start)) {
    const bytes = ledger.subarray(start, end)
    const [hash, own] = [sha256(bytes), ownOf(bytes)]
    fold = own === undefined ? { lines: fold.lines + 1, sha256: sha256(fold.sha256 + hash) } : NO_LINES
    if (own !== undefined) base = lines.length
    lines.push({ hash, own, base, fold })
    start = end + 1
  }
  return lines
}

function ownOf(line: Buffer): Line['own'] {
  const { metadata } = JSON.parse(line.toString())
  const own = isObject(metadata) ? metadata['dev.escrowfs'] : undefined
  return isObject(own) ? own : undefined
}

function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}
