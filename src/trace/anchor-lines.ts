import { defined } from '../core/defined.js'
import { isObject } from '../core/is-object.js'
import { count, listOf, text } from './fields.js'

/** The lines of a file of anchors, see anchors.ts. */

/** Records that this machine vouches for: numbers `from` to `seq`, with the hash of each line. */
export interface AnchorLine {
  readonly ledger: string
  /** 0 if the hashes are of lines of other tools, which have no number. */
  readonly from: number
  readonly seq: number
  readonly hashes: readonly string[]
  /** ISO 8601. */
  readonly at: string
  /** The workspace and the branch whose ledger must have these records. Absent on lines that only vouch. */
  readonly workspace?: string
  /** Absent if there was no version control. */
  readonly branch?: string
  /** A person reset the ledger: records that were anchored earlier on this branch may be missing. */
  readonly restarts?: true
  /** A later line restarts the branch. */
  readonly isPast?: true
}

/** A line of the ledger. `seq` is 0 if another tool wrote it. */
export interface LedgerEntry {
  readonly seq: number
  readonly hash: string
}

/** The limit of hashes in one line, which keeps lines short. */
const MAX_HASHES = 500
/**
 * The limit of branches whose records must exist. Records of older ones are still known: each detached HEAD is a
 * branch.
 */
const MAX_BRANCHES = 100

type About = Pick<AnchorLine, 'ledger' | 'at' | 'workspace' | 'branch'>

/** The text of the lines that anchor records. Records with consecutive numbers share a line. */
export function linesOf(about: About, entries: readonly LedgerEntry[], restarts = false): string {
  const { ledger, ...rest } = about
  return runsOf(entries)
    .map(({ from, seq, hashes }, n) =>
      JSON.stringify({ ledger, from, seq, hashes, ...rest, ...(restarts && n === 0 && { restarts }) }).concat('\n'),
    )
    .join('')
}

function runsOf(entries: readonly LedgerEntry[]): { from: number; seq: number; hashes: string[] }[] {
  const runs: { from: number; seq: number; hashes: string[] }[] = []
  for (const { seq, hash } of entries) {
    const last = runs.at(-1)
    const continues = last !== undefined && (last.from === 0 ? seq === 0 : seq === last.seq + 1)
    if (last === undefined || !continues || last.hashes.length >= MAX_HASHES) {
      runs.push({ from: seq, seq, hashes: [hash] })
    } else {
      last.seq = seq
      last.hashes.push(hash)
    }
  }
  return runs
}

/** Parses lines. A crash may have cut a line off, and the next line then follows on the same one. */
export function parseAnchors(content: string): AnchorLine[] {
  return dropSuperseded(
    content.split('\n').flatMap((line) => anchorIn(line.slice(line.lastIndexOf('{"ledger":'))) ?? []),
  )
}

function anchorIn(line: string): AnchorLine | undefined {
  const value = parseJson(line)
  if (!isObject(value)) return undefined
  const [ledger, from, seq, at] = [text(value.ledger), count(value.from), count(value.seq), text(value.at)]
  const hashes = listOf(value.hashes).flatMap((hash) => text(hash) ?? [])
  if (ledger === undefined || from === undefined || seq === undefined || at === undefined) return undefined
  if (from === 0 ? seq !== 0 : hashes.length !== seq - from + 1) return undefined
  const [workspace, branch] = [text(value.workspace), text(value.branch)]
  return {
    ledger,
    from,
    seq,
    hashes,
    at,
    ...defined({ workspace, branch }),
    ...(value.restarts === true && { restarts: true }),
  }
}

export function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Whether a line is of the branch. Lines without a branch were written without version control, and count for each. */
export function isOn({ branch }: Pick<AnchorLine, 'branch'>, now: string | undefined): boolean {
  return branch === undefined || now === undefined || branch === now
}

function dropSuperseded(lines: readonly AnchorLine[]): AnchorLine[] {
  const later: AnchorLine[] = []
  const isPast = (line: AnchorLine) =>
    later.some((each) => each.workspace === line.workspace && isOn(line, each.branch))
  const out = lines.toReversed().map((line): AnchorLine => {
    const past = line.workspace !== undefined && isPast(line)
    if (line.restarts && !past) later.push(line)
    return past ? { ...line, isPast: true } : line
  })
  return out.reverse()
}

/** The same anchors in fewer lines. */
export function compactAnchors(lines: readonly AnchorLine[]): string {
  const groups = new Map<string, { last: AnchorLine; entries: Map<string, LedgerEntry> }>()
  for (const line of lines) {
    const isBound = line.workspace !== undefined && line.isPast === undefined
    const key = isBound ? JSON.stringify([line.ledger, line.workspace, line.branch]) : line.ledger
    const entries = groups.get(key)?.entries ?? new Map<string, LedgerEntry>()
    for (const [n, hash] of line.hashes.entries()) entries.set(hash, { seq: line.from === 0 ? 0 : line.from + n, hash })
    groups.delete(key)
    groups.set(key, { last: line, entries })
  }
  const oldest = groups.size - MAX_BRANCHES
  return [...groups]
    .map(([key, { last, entries }], n) => {
      const { ledger, at, workspace, branch } = last
      const isBound = key !== ledger && n >= oldest
      const bound = isBound && {
        ...defined({ workspace, branch }),
      }
      return linesOf({ ledger, at, ...bound }, [...entries.values()])
    })
    .join('')
}
