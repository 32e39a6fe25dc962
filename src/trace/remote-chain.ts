import { sha256hex } from '../../overlay/index.js'
import {
  type Break,
  EMPTY_TIP,
  foldLine,
  type Head,
  type LineFold,
  NO_HEAD,
  NO_LINES,
  ownFieldsOf,
  step,
  type Tip,
} from './chain.js'
import { MAX_LINE, parseLine } from './lines.js'
import { TIP } from './reading-point-format.js'
import type { ChainLink } from './record.js'

/**
 * The chain of a ledger that is kept elsewhere than in its file, as on a hub: which lines may follow the ones that are there. The rules are
 * those of the file. Loads zod, so it is not part of the room's index.
 */

export { foldLine, type LineFold, NO_LINES }

/** The end of a chain: where the next line must continue, and the fold of all lines, which names exactly them in their order. */
export interface ChainEnd {
  readonly tip: Tip
  readonly all: LineFold
}

export const EMPTY_CHAIN: ChainEnd = { tip: EMPTY_TIP, all: NO_LINES }

/** The lines of a chain before those that are checked. */
export interface EarlierLines {
  /** The number of the first line that has this hash; undefined if there is none. */
  find(hash: string): Promise<number | undefined>
  /** The bytes of a line that is there, without its LF. */
  line(number: number): Promise<Buffer>
}

/** A line that may follow. */
export interface ChainedLine {
  readonly bytes: Buffer
  readonly hash: string
  /** The fold of all lines before it. */
  readonly before: string
}

/** The lines that may be added to a chain, or the problem and the number of the first line that has it. */
export type Continued =
  | { readonly lines: readonly ChainedLine[]; readonly end: ChainEnd }
  | { readonly problem: string; readonly line: number }

/**
 * Checks whether lines continue a chain: their form, the hash that each record names, and its number. A record may also continue an earlier
 * line, as after a merge by git.
 * @param lines without their LF
 */
export async function continueChain(
  end: ChainEnd,
  lines: readonly Buffer[],
  earlier: EarlierLines,
): Promise<Continued> {
  const known: Known = { earlier, found: new Map(), checked: new Map() }
  const added: ChainedLine[] = []
  let { tip, all } = end
  for (const bytes of lines) {
    const hash = sha256hex(bytes)
    const next = await follow(tip, bytes, hash, known)
    if ('problem' in next) return { problem: next.problem, line: all.lines + 1 }
    if (!known.checked.has(hash)) known.checked.set(hash, next)
    added.push({ bytes, hash, before: all.sha256 })
    all = foldLine(all, hash)
    tip = next
  }
  return { lines: added, end: { tip, all } }
}

/** The end of a chain as text, for {@link parseTip}. */
export function formatTip(tip: Tip): string {
  return JSON.stringify(tip)
}

/** @throws SyntaxError or ZodError if the text is not such an end */
export function parseTip(text: string): Tip {
  return TIP.parse(JSON.parse(text))
}

/** The number and the hash of the newest record, as `escrow verify --heads` takes them; undefined before the first. */
export function headText({ own, seq }: Tip): string | undefined {
  return own === null ? undefined : `${seq}:${own.hash}`
}

const LF = 10

interface Known {
  readonly earlier: EarlierLines
  /** The ends of the chain after lines that were looked up; undefined: there is no such line. */
  readonly found: Map<string, Head | undefined>
  /** The ends after the lines that were just checked. */
  readonly checked: Map<string, Head>
}

async function follow(tip: Tip, bytes: Buffer, hash: string, known: Known): Promise<Tip | Break> {
  if (bytes.includes(LF)) return { problem: 'is more than one line' }
  const parsed = parseLine({ bytes, oversize: bytes.length > MAX_LINE })
  if ('problem' in parsed) return parsed
  const own = ownFieldsOf(parsed.value)
  if (own !== undefined && !('problem' in own)) await lookUp(own, tip, known)
  const headAt = (of: string | null) => (of === null ? NO_HEAD : (known.found.get(of) ?? known.checked.get(of)))
  const next = step(tip, parsed.value, hash, bytes.length + 1, headAt)
  if ('problem' in next || next.sides.length <= tip.sides.length) return next
  // A line that begins a branch may repeat a line that the chain already has.
  const isRepeated = known.checked.has(hash) || (await known.earlier.find(hash)) !== undefined
  return isRepeated ? { problem: 'is repeated' } : next
}

/** Looks up the lines that a record continues or joins, unless they are open ends of the chain. */
async function lookUp({ prev, joins = [] }: ChainLink, tip: Tip, { found, earlier }: Known): Promise<void> {
  const open = new Set([tip.hash, ...tip.sides.map((side) => side.hash)])
  for (const hash of [prev, ...joins.map((end) => end.hash)]) {
    if (hash === null || open.has(hash) || found.has(hash)) continue
    found.set(hash, await headAfter(hash, earlier))
  }
}

/** The end of the chain after an earlier line. A line of another tool follows the last record before it. */
async function headAfter(hash: string, earlier: EarlierLines): Promise<Head | undefined> {
  const at = await earlier.find(hash)
  if (at === undefined) return undefined
  const others: string[] = []
  let record: Head | undefined
  for (let number = at; number > 0 && record === undefined; number--) {
    const bytes = await earlier.line(number)
    record = recordHead(bytes)
    if (record === undefined) others.push(sha256hex(bytes))
  }
  const foreign = others.reduceRight(foldLine, NO_LINES)
  return Object.assign({}, record ?? NO_HEAD, { hash, foreign })
}

/** The end of the chain after a record of ours; undefined for a line of another tool. */
function recordHead(bytes: Buffer): Head | undefined {
  const parsed = parseLine({ bytes, oversize: false })
  const own = 'value' in parsed ? ownFieldsOf(parsed.value) : undefined
  if (own === undefined || 'problem' in own) return undefined
  const hash = sha256hex(bytes)
  // Its position in a file does not affect which lines may follow.
  return { ...NO_HEAD, ledger: own.ledger, seq: own.seq, hash, own: { hash, start: 0, end: bytes.length + 1 } }
}
