import type { StagedChange } from '../../overlay/index.js'
import type { ChangeState, Verdict } from '../core/api.js'
import type { Reviewer } from '../core/people.js'
import { PathVerdicts } from './path-verdicts.js'
import { keyOf, matches, verdictOf } from './record.js'
import type { HunkRef, ReviewEntry, ReviewRecord, VerdictRecord } from './record-schema.js'

/** The verdicts in force, by change. */
export interface VerdictState {
  of(change: StagedChange): CurrentVerdicts
}

/** The verdicts in force on one change. */
export interface CurrentVerdicts {
  /** The latest verdict on the whole change, unless its base or content has changed since. */
  readonly file?: Verdict
  /** Hunk id → the verdict on it, if it is later than the one on the whole. The hunk may no longer exist. */
  readonly hunks: ReadonlyMap<string, Verdict>
  /** There was a verdict on the whole change, which has changed since. */
  readonly isVoid: boolean
  /** The void verdict was an approval. */
  readonly lostApproval: boolean
  /**
   * The approvals in force, of each person the latest, oldest first: on one hunk, or on the whole change.
   * @param hunk the id of a hunk in {@link hunks}; undefined: the whole change
   */
  approvals(hunk?: string): readonly Verdict[]
}

export function stateOf(verdict: Verdict | undefined): ChangeState {
  return verdict === undefined || verdict.verdict === 'withdrawn' ? 'pending' : verdict.verdict
}

/** A rejection of a path, for the agent. */
export interface Rejection {
  /** The verdict's id. */
  readonly id: string
  readonly path: string
  /** The rejected hunks; undefined: the whole change. */
  readonly hunks?: readonly HunkRef[]
  readonly reason: string
  readonly by: Reviewer
  readonly at: string
  /** False once a later verdict or a commit covers all of it. */
  readonly isInForce: boolean
  /** All of it was withdrawn. */
  readonly withdrawn: boolean
  /** The verdicts that withdrew it, or parts of it. */
  readonly withdrawals: readonly Withdrawal[]
}

/** A verdict that withdrew a rejection. */
export interface Withdrawal {
  readonly id: string
  /** Undefined: all that was left of the rejection. */
  readonly hunks?: readonly HunkRef[]
}

/** The verdicts in force after all records of a review log: the latest on each path and each hunk. */
export function verdictState(records: readonly ReviewRecord[]): VerdictState {
  const byPath = new Map<string, PathVerdicts>()
  const verdicts = new Map<VerdictRecord, Verdict>()
  const cachedVerdict = (record: VerdictRecord): Verdict => {
    const verdict = verdicts.get(record) ?? verdictOf(record)
    verdicts.set(record, verdict)
    return verdict
  }
  for (const record of records) {
    for (const entry of record.entries) {
      const key = keyOf(entry)
      const known = byPath.get(key) ?? new PathVerdicts()
      byPath.set(key, known)
      if (record.kind === 'verdict') known.add(record, entry)
      else if (record.kind === 'split') known.split(record.pieces, entry)
      else if (record.kind !== 'amend') known.consume(record.kind, entry)
      else known.amend(record, entry)
    }
  }
  return {
    of(change) {
      const known = byPath.get(keyOf(change))
      const holds = known?.file !== undefined && matches(known.file.entry, change)
      const isVoid = known?.file !== undefined && known.file.record.verdict !== 'withdrawn' && !holds
      return {
        ...(holds && known?.file && { file: cachedVerdict(known.file.record) }),
        hunks: new Map([...(known?.hunks ?? [])].map(([id, record]) => [id, cachedVerdict(record)])),
        isVoid,
        lostApproval: isVoid && known?.file?.record.verdict === 'approved',
        approvals: (hunk) =>
          (hunk === undefined ? known?.fileApprovals(change) : known?.hunkApprovals(hunk))?.map(cachedVerdict) ?? [],
      }
    },
  }
}

/** All rejections in a review log, in order, one for each path. A discard ends none: the agent still needs the reason. */
export function rejectionsFor(records: readonly ReviewRecord[]): Rejection[] {
  const latest = new LatestRecords(records)
  const found = new Map<string, Rejection>()
  for (const record of records) {
    if (record.kind !== 'verdict' || record.verdict !== 'rejected') continue
    const { id, by, at, reason = '' } = verdictOf(record)
    for (const { path, hunks } of record.entries) {
      const parts = hunks === undefined ? latest.of(path) : hunks.flatMap((hunk) => latest.of(path, hunk.id))
      const isInForce = parts.some((part) => part.id === id)
      const isWithdrawn = (part: LatestRecord) => part.withdrawn.has(id)
      const withdrawn = parts.every(isWithdrawn)
      const remaining = hunks?.filter((hunk) => withdrawn || !latest.of(path, hunk.id).every(isWithdrawn))
      const rejection = { id, path, ...(remaining && { hunks: remaining }), reason, by, at, isInForce, withdrawn }
      // A commit records a rejection again for the rest of a file, under the same id: the later one replaces it.
      found.set(`${id} ${path}`, { ...rejection, withdrawals: latest.withdrawalsOf(path, id) })
    }
  }
  return [...found.values()]
}

/** The latest record on a path or hunk. */
interface LatestRecord {
  readonly id: string | undefined
  /** Ids of the records that were withdrawn. */
  readonly withdrawn: ReadonlySet<string>
}

type MutableLatest = { id: string | undefined; readonly withdrawn: Set<string> }

interface PathRecords {
  readonly whole: MutableLatest
  /** By hunk id. */
  readonly hunks: Map<string, MutableLatest>
  /** Withdrawn record → withdrawing record → the hunks; undefined: the whole path. */
  readonly withdrawals: Map<string, Map<string, readonly HunkRef[] | undefined>>
}

/** The latest record on each path and hunk of a review log. A split hunk is represented by its pieces. */
class LatestRecords {
  readonly #paths = new Map<string, PathRecords>()
  readonly #pieces = new Map<string, readonly string[]>()

  constructor(records: readonly ReviewRecord[]) {
    for (const record of records) {
      if (record.kind === 'discard' || record.kind === 'amend') continue
      for (const entry of record.entries) this.#add(record, entry)
    }
  }

  of(path: string, hunk?: string): LatestRecord[] {
    const records = this.#at(path)
    return hunk === undefined ? [records.whole] : this.#ofHunk(records, hunk)
  }

  withdrawalsOf(path: string, id: string): Withdrawal[] {
    const found = this.#at(path).withdrawals.get(id) ?? []
    return [...found].map(([by, hunks]) => ({ id: by, ...(hunks && { hunks }) }))
  }

  #add(record: ReviewRecord, entry: ReviewEntry): void {
    const { path, hunks, except } = entry
    const records = this.#at(path)
    if (record.kind === 'verdict' && record.verdict === 'withdrawn') this.#withdraw(record, entry)
    if (record.kind === 'split') for (const { id } of hunks ?? []) this.#split(records, id, record.pieces)
    else if (hunks) for (const latest of hunks.flatMap(({ id }) => this.#ofHunk(records, id))) latest.id = record.id
    else {
      records.whole.id = record.id
      if (record.kind === 'committed') return
      // A verdict on the file is the latest on each of its hunks.
      const exceptions = new Set(except)
      for (const [id, latest] of records.hunks) if (!exceptions.has(id)) latest.id = record.id
    }
  }

  #split(records: PathRecords, hunk: string, pieces: readonly string[]): void {
    // Two reviewers may have split it at the same time.
    if (this.#pieces.has(hunk)) return
    const { id, withdrawn } = latestOn(records, hunk)
    this.#pieces.set(hunk, pieces)
    for (const piece of pieces) records.hunks.set(piece, { id, withdrawn: new Set(withdrawn) })
  }

  /** Withdraws the latest record on each hunk; for a hunk without one, the record on the file. */
  #withdraw({ id: by }: ReviewRecord, { path, hunks }: ReviewEntry): void {
    const records = this.#at(path)
    const all: readonly (readonly [MutableLatest, HunkRef?])[] = hunks
      ? hunks.flatMap((hunk) => this.#ofHunk(records, hunk.id).map((latest) => [latest, hunk] as const))
      : [records.whole, ...records.hunks.values()].map((latest) => [latest] as const)
    for (const [latest, hunk] of all) {
      const id = latest.id ?? records.whole.id
      if (id === undefined) continue
      latest.withdrawn.add(id)
      const found = records.withdrawals.get(id) ?? new Map<string, readonly HunkRef[] | undefined>()
      records.withdrawals.set(id, found)
      found.set(by, hunk && [...(found.get(by) ?? []), hunk])
    }
  }

  #at(path: string): PathRecords {
    const records = this.#paths.get(path) ?? { whole: noRecord(), hunks: new Map(), withdrawals: new Map() }
    this.#paths.set(path, records)
    return records
  }

  #ofHunk(records: PathRecords, hunk: string): MutableLatest[] {
    return (this.#pieces.get(hunk) ?? [hunk]).map((id) => latestOn(records, id))
  }
}

function latestOn({ hunks }: PathRecords, id: string): MutableLatest {
  const latest = hunks.get(id) ?? noRecord()
  hunks.set(id, latest)
  return latest
}

function noRecord(): MutableLatest {
  return { id: undefined, withdrawn: new Set() }
}
