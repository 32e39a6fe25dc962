import type { StagedChange } from '../../overlay/index.js'
import { matches } from './record.js'
import type { AmendRecord, HunkRef, ReviewEntry, ReviewRecord, VerdictRecord } from './record-schema.js'

interface FileVerdict {
  readonly record: VerdictRecord
  readonly entry: ReviewEntry
}

/** The verdicts on one path that no later record has replaced. An approval does not replace the approvals of other people. */
export class PathVerdicts {
  file: FileVerdict | undefined
  readonly hunks = new Map<string, VerdictRecord>()
  /** The approvals on the whole before {@link file}, if that is an approval. */
  #earlier: readonly FileVerdict[] = []
  /** Hunk → the approvals of it before the one in {@link hunks}, if that is an approval. */
  readonly #earlierOnHunks = new Map<string, readonly VerdictRecord[]>()
  /** Split hunk → its pieces: a verdict on the hunk is one on each piece. */
  readonly #pieces = new Map<string, readonly string[]>()

  add(record: VerdictRecord, entry: ReviewEntry): void {
    if (entry.hunks) for (const id of this.#piecesOf(entry.hunks)) this.#addToHunk(id, record)
    else {
      this.#earlier = this.#approvalsBefore(record, entry)
      this.file = { record, entry }
      this.#clearHunks(new Set(entry.except))
    }
  }

  /** The approvals in force on the whole change, if the latest verdict on it is one. */
  fileApprovals(change: StagedChange): VerdictRecord[] {
    const { file } = this
    if (file?.record.verdict !== 'approved' || !matches(file.entry, change)) return []
    return [...this.#earlier, file].filter(({ entry }) => matches(entry, change)).map(({ record }) => record)
  }

  /** The approvals in force on a hunk, if the latest verdict on it is one. */
  hunkApprovals(id: string): VerdictRecord[] {
    const latest = this.hunks.get(id)
    return latest?.verdict === 'approved' ? [...(this.#earlierOnHunks.get(id) ?? []), latest] : []
  }

  /**
   * A commit or a discard consumes the verdicts on its changes. A rejected hunk keeps its verdict through a commit of the file, which did not
   * include it. A record that another process wrote for the committer may lack the hunks.
   */
  consume(kind: ReviewRecord['kind'], entry: ReviewEntry): void {
    if (entry.hunks === undefined && kind === 'committed') this.#forgetApprovals()
    else if (entry.hunks === undefined) this.#clearHunks(new Set(entry.except))
    else for (const id of this.#piecesOf(entry.hunks)) this.#forgetHunk(id)
    this.file = undefined
    this.#earlier = []
  }

  split(pieces: readonly string[], entry: ReviewEntry): void {
    for (const { id } of entry.hunks ?? []) {
      this.#pieces.set(id, pieces)
      const verdict = this.hunks.get(id)
      const earlier = this.#earlierOnHunks.get(id) ?? []
      this.#forgetHunk(id)
      for (const record of verdict ? [...earlier, verdict] : [])
        for (const piece of pieces) this.#addToHunk(piece, record)
    }
  }

  /** A merge cancels approvals, since nobody has seen the merged content. Rejections of hunks stay. */
  amend(record: AmendRecord, entry: ReviewEntry): void {
    if (record.cause === 'merge') this.#forgetApprovals()
    else for (const id of this.#piecesOf(entry.hunks ?? [])) this.#forgetHunk(id)
  }

  #piecesOf(hunks: readonly HunkRef[]): string[] {
    return hunks.flatMap(({ id }) => this.#pieces.get(id) ?? [id])
  }

  /** The approvals on the whole that a new one confirms. Those that left out a hunk, or whose hunk was rejected since, did not approve all of it. */
  #approvalsBefore(record: VerdictRecord, { except = [] }: ReviewEntry): FileVerdict[] {
    const isLeftOut = (hunk: string) => except.includes(hunk)
    const isRejected = [...this.hunks].some(([id, { verdict }]) => verdict !== 'approved' && !isLeftOut(id))
    if (this.file === undefined || isRejected) return []
    return [...this.#earlier, this.file].filter(
      (each) => isOtherApproval(each.record, record) && (each.entry.except ?? []).every(isLeftOut),
    )
  }

  #addToHunk(id: string, record: VerdictRecord): void {
    const earlier = this.hunkApprovals(id).filter((each) => isOtherApproval(each, record))
    this.#earlierOnHunks.set(id, earlier)
    this.hunks.set(id, record)
  }

  #forgetHunk(id: string): void {
    this.hunks.delete(id)
    this.#earlierOnHunks.delete(id)
  }

  #forgetApprovals(): void {
    for (const [id, { verdict }] of this.hunks) if (verdict === 'approved') this.#forgetHunk(id)
  }

  /** A verdict on the file replaces those on its hunks permanently: they must not return if it becomes void. */
  #clearHunks(except: ReadonlySet<string>): void {
    for (const id of this.hunks.keys()) if (!except.has(id)) this.#forgetHunk(id)
  }
}

/** Whether `record` approves what another person has approved before. An approval by rule does not join those of people. */
function isOtherApproval(before: VerdictRecord, record: VerdictRecord): boolean {
  if (before.verdict !== 'approved' || record.verdict !== 'approved') return false
  if (before.rule !== undefined || record.rule !== undefined) return false
  return before.by.name !== record.by.name || before.by.email !== record.by.email
}
