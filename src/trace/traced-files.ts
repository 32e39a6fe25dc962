import type { TraceRecord } from '../core/api.js'
import { defined } from '../core/defined.js'
import { count, intentOf, objectOf, objectsOf, text } from './fields.js'
import type { LineHunk } from './line-hunks.js'
import { splitPrints } from './line-prints.js'
import type { Origin } from './origins.js'
import { type FileLines, isOwnRecord, ownRecordOf, type RecordedChange } from './own-record.js'

/** One file in a record, of any age and tool. */
export interface TracedFile {
  readonly path: string
  readonly from?: string
  /** Digests; undefined if the record has none. */
  readonly before?: string | null
  readonly after?: string | null
  /** The line changes; absent if the record has none, or invalid ones. */
  readonly change?: LineChange
  /** Whether a landing queue put it on a branch: the disk has the lines before it until a pull. */
  readonly isLanded?: boolean
  /** Blocks that the record names only by hash. */
  readonly claims: readonly Claim[]
  /** The author of a line of the new content, from 0. */
  originOf(line: number): Origin
  /** The origin of old lines that the ledger had not recorded, in a file it knew. */
  readonly outside: Origin
}

export interface LineChange {
  readonly hunks: readonly LineHunk[]
  readonly added: readonly string[]
  readonly base?: readonly string[]
}

export interface Claim {
  readonly contentHash: string
  /** The number of lines in the block; undefined for the whole file. */
  readonly lines?: number
  readonly origin: Origin
}

export interface Traced {
  readonly files: readonly TracedFile[]
  readonly tx?: string
  /** The commits that an undo reverts. */
  readonly undoes?: readonly string[]
}

export const UNKNOWN: Origin = { contributor: 'unknown' }
export const OUTSIDE: Origin = { contributor: 'human' }

const NOTHING: Traced = { files: [] }

/** @param isUnanchored whether no anchor on this machine vouches for the record; each of its origins then says so */
export function tracedIn(record: TraceRecord, isUnanchored = false): Traced {
  const traced = filesInRecord(record)
  return isUnanchored ? { ...traced, files: traced.files.map(markUnanchored) } : traced
}

function markUnanchored(file: TracedFile): TracedFile {
  const withMark = (origin: Origin): Origin => (origin === UNKNOWN ? origin : { ...origin, unanchored: true })
  return {
    ...file,
    claims: file.claims.map((claim) => ({ ...claim, origin: withMark(claim.origin) })),
    originOf: (line) => withMark(file.originOf(line)),
    outside: withMark(file.outside),
  }
}

function filesInRecord(record: TraceRecord): Traced {
  if (!isOwnRecord(record)) {
    const source = { record, approvedBy: undefined, isOwn: false }
    return { files: entriesOf(record).map((entry) => tracedEntry(source, entry)) }
  }
  const own = ownRecordOf(record, 'commit', 'undo')
  if (own === undefined) return NOTHING
  const { approved_by: approvers = [], changes = [] } = own
  const source = { record, approvedBy: approvers.join(', ') || undefined, isOwn: true }
  const entries = new Map(entriesOf(record).map((entry) => [pathOf(entry), entry]))
  const lines = new Map(own.lines?.map((each) => [each.path, each]))
  const isLanded = own.type === 'commit' && own.landed !== undefined
  const files = changes.map((change) => {
    const file = tracedChange(source, change, entries.get(change.path) ?? {}, lines.get(change.path))
    return isLanded ? { ...file, isLanded } : file
  })
  const undoes = own.type === 'undo' && own.undoes !== undefined ? [own.undoes].flat() : []
  return { files, ...defined({ tx: own.tx ?? undefined }), ...(undoes.length > 0 && { undoes }) }
}

type Fields = Record<string, unknown>

/** A record that names authors of lines. */
interface Source {
  readonly record: TraceRecord
  readonly approvedBy: string | undefined
  /** Whether this program wrote it. */
  readonly isOwn: boolean
}

/** A flat line is its own only entry. */
function entriesOf(record: TraceRecord): Fields[] {
  return text(record.file) === undefined ? objectsOf(record.files) : [record]
}

function pathOf(entry: Fields): string | undefined {
  return text(entry.path) ?? text(entry.relative_path) ?? text(entry.file)
}

function tracedEntry(source: Source, entry: Fields): TracedFile {
  const ranges = rangesOf(source, entry)
  return { path: pathOf(entry) ?? '', ...authorsOf(source, ranges), claims: claimsOf(source, entry, ranges) }
}

function tracedChange(source: Source, recorded: RecordedChange, entry: Fields, lines?: FileLines): TracedFile {
  const { path, from, before, after } = recorded
  const change = lines && changeOf(lines)
  const ranges = rangesOf(source, entry)
  return {
    path,
    ...defined({ from }),
    before,
    after,
    ...(change && { change }),
    ...authorsOf(source, ranges),
    claims: change ? [] : claimsOf(source, entry, ranges),
  }
}

function authorsOf({ record }: Source, ranges: readonly Range[]): Pick<TracedFile, 'originOf' | 'outside'> {
  const id = text(record.id)
  const rangeWith = rangeFinder(ranges)
  return {
    originOf: (line) => rangeWith(line + 1)?.origin ?? UNKNOWN,
    outside: { ...OUTSIDE, ...defined({ recordId: id }) },
  }
}

/** Finds the first range with a line. Our writer lists ranges in rising order, and other tools may not. */
function rangeFinder(ranges: readonly Range[]): (line: number) => Range | undefined {
  const isWithin = (line: number, range: Range | undefined) =>
    range !== undefined && range.first <= line && line <= range.last
  const isRising = ranges.every(({ first, last }, n) => (ranges[n - 1]?.last ?? 0) < first && first <= last)
  if (!isRising) return (line) => ranges.find((range) => isWithin(line, range))
  return (line) => {
    let [from, to] = [0, ranges.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((ranges[middle]?.last ?? 0) < line) from = middle + 1
      else to = middle
    }
    return isWithin(line, ranges[from]) ? ranges[from] : undefined
  }
}

interface Range {
  readonly first: number
  readonly last: number
  readonly contentHash?: string
  readonly origin: Origin
}

/** Ranges are fields of the file, or of its conversations. */
function rangesOf(source: Source, entry: Fields): Range[] {
  const holders = Array.isArray(entry.ranges) ? [entry] : objectsOf(entry.conversations)
  return holders.flatMap((holder) => {
    const whole = originOf(source, entry, holder.contributor ?? entry.contributor)
    return objectsOf(holder.ranges).flatMap((range) => {
      const [first, last] = [count(range.start_line), count(range.end_line)]
      if (first === undefined || last === undefined || first < 1) return []
      const origin = range.contributor === undefined ? whole : originOf(source, entry, range.contributor)
      const hash = text(range.content_hash)
      return [{ first, last, origin, ...defined({ contentHash: hash }) }]
    })
  })
}

function originOf(source: Source, entry: Fields, contributor: unknown): Origin {
  const { record, approvedBy } = source
  const { type, entity_type, model_id, model_identifier } = objectOf(contributor)
  const named = text(model_identifier) ?? text(model_id) ?? text(record.model_identifier)
  // A record that does not name its author must not make an agent one.
  const typeName = (text(type) ?? text(entity_type) ?? (named === undefined ? 'unknown' : 'ai')).toLowerCase()
  const kind = typeName === 'human' || typeName === 'unknown' ? typeName : 'ai'
  const intent = intentFor(source, entry)
  const model = kind === 'ai' ? named : undefined
  const tool = kind === 'ai' ? toolOf(record) : undefined
  const [id, session] = [text(record.id), text(record.session_id)]
  const mutation = text(entry.mutation_class) ?? text(record.mutation_class)
  return {
    contributor: kind,
    ...defined({
      recordId: id,
      intentId: intent,
      sessionId: session,
      model,
      tool,
      approvedBy,
      mutationClass: mutation,
    }),
  }
}

/** Our record names escrowfs as the tool if the agent's program is unknown. */
function toolOf({ tool }: TraceRecord): string | undefined {
  const name = text(objectOf(tool).name)
  return name === 'escrowfs' ? undefined : name
}

/** Our record has the intent with each file: one commit can have several intents. */
function intentFor({ record, isOwn }: Source, entry: Fields): string | undefined {
  const related = objectsOf(entry.related)
  const specification = related.find(({ type }) => type === 'specification')
  if (specification !== undefined) return text(specification.value)
  return !isOwn || !Array.isArray(entry.related) ? intentOf(record) : undefined
}

function changeOf(lines: FileLines): LineChange | undefined {
  const [added, base] = [splitPrints(lines.added), lines.base === undefined ? undefined : splitPrints(lines.base)]
  const hunks = lines.hunks.map(([at, removed, added]) => ({ at, removed, added }))
  if (added === undefined || (lines.base !== undefined && base === undefined)) return undefined
  if (hunks.reduce((sum, hunk) => sum + hunk.added, 0) !== added.length) return undefined
  if (hunks.some(({ at }, n) => at < endOf(hunks[n - 1]))) return undefined
  return { hunks, added, ...defined({ base }) }
}

function endOf(hunk: LineHunk | undefined): number {
  return hunk === undefined ? 0 : hunk.at + hunk.removed
}

function claimsOf(source: Source, entry: Fields, ranges: readonly Range[]): Claim[] {
  const blocks = ranges.flatMap(({ first, last, contentHash, origin }) =>
    contentHash === undefined ? [] : [{ contentHash, lines: last - first + 1, origin }],
  )
  const whole = [entry.content_hash, objectOf(entry.ranges).content_hash].flatMap((hash) => text(hash) ?? [])
  return [...blocks, ...whole.map((contentHash) => ({ contentHash, origin: originOf(source, entry, undefined) }))]
}
