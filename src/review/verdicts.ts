import type { StagedChange } from '../../overlay/change.js'
import type { ChangeState, Reviewer, Verdict } from '../core/api.js'
import {
  type AmendRecord,
  type HunkRef,
  keyOf,
  matches,
  type ReviewEntry,
  type ReviewRecord,
  type VerdictRecord,
  verdictOf,
} from './record.js'

/** The verdicts that stand. */
export interface VerdictState {
  of(change: StagedChange): Standing
}

/** What has been said of one change and still counts. */
export interface Standing {
  /** The latest word on the change as a whole: none where it was on another base or other content. */
  readonly file?: Verdict
  /** By id: words on single hunks, given after the latest on the whole. Whether there is such a hunk is not known here. */
  readonly hunks: ReadonlyMap<string, Verdict>
  /** Somebody spoke of the change as a whole, and it is another by now. */
  readonly isVoid: boolean
}

export function stateOf(verdict: Verdict | undefined): ChangeState {
  return verdict?.verdict ?? 'pending'
}

/** A reviewer's no, as the agent's side hears of it. */
export interface Rejection {
  /** Of the verdict. */
  readonly id: string
  readonly path: string
  /** The hunks it is about; undefined: all of the change. */
  readonly hunks?: readonly HunkRef[]
  readonly reason: string
  readonly by: Reviewer
  readonly at: string
  /** True while no later verdict, and no commit, has been on what it is about. */
  readonly standing: boolean
}

/** The words on one path that no later one has replaced. */
class Words {
  file: { readonly record: VerdictRecord; readonly entry: ReviewEntry } | undefined
  readonly hunks = new Map<string, VerdictRecord>()

  say(record: VerdictRecord, entry: ReviewEntry): void {
    if (entry.hunks) for (const { id } of entry.hunks) this.hunks.set(id, record)
    else {
      this.file = { record, entry }
      this.#clearHunks(new Set(entry.except))
    }
  }

  /**
   * A commit or a discard uses up what was said of what it took. A no to a hunk outlives a commit of the file: it took
   * no such hunk, and who wrote the commit down for a dead committer did not know that it was of a part.
   */
  spend(kind: ReviewRecord['kind'], entry: ReviewEntry): void {
    if (entry.hunks === undefined && kind === 'committed') this.#forgetApprovals()
    else if (entry.hunks === undefined) this.#clearHunks(new Set(entry.except))
    else for (const { id } of entry.hunks) this.hunks.delete(id)
    this.file = undefined
  }

  /** What was approved was not approved as it is merged. A no to a hunk stands. */
  amend(record: AmendRecord, entry: ReviewEntry): void {
    if (record.cause === 'merge') this.#forgetApprovals()
    else for (const { id } of entry.hunks ?? []) this.hunks.delete(id)
  }

  #forgetApprovals(): void {
    for (const [id, word] of this.hunks) if (word.verdict === 'approved') this.hunks.delete(id)
  }

  /** A word on the whole is one on each hunk: were it to become void, what was said before it must not come back. */
  #clearHunks(except: ReadonlySet<string>): void {
    for (const id of this.hunks.keys()) if (!except.has(id)) this.hunks.delete(id)
  }
}

/** Reads a review log as the verdicts that stand: the latest word on each path and each hunk. */
export function verdictState(records: readonly ReviewRecord[]): VerdictState {
  const words = new Map<string, Words>()
  const verdicts = new Map<VerdictRecord, Verdict>()
  const given = (record: VerdictRecord): Verdict => {
    const verdict = verdicts.get(record) ?? verdictOf(record)
    verdicts.set(record, verdict)
    return verdict
  }
  for (const record of records) {
    for (const entry of record.entries) {
      const key = keyOf(entry)
      const said = words.get(key) ?? new Words()
      words.set(key, said)
      if (record.kind === 'verdict') said.say(record, entry)
      else if (record.kind !== 'amend') said.spend(record.kind, entry)
      else said.amend(record, entry)
    }
  }
  return {
    of(change) {
      const said = words.get(keyOf(change))
      const holds = said?.file !== undefined && matches(said.file.entry, change)
      return {
        ...(holds && said?.file && { file: given(said.file.record) }),
        hunks: new Map([...(said?.hunks ?? [])].map(([id, record]) => [id, given(record)])),
        isVoid: said?.file !== undefined && !holds,
      }
    },
  }
}

/** All rejections ever given, in order, one for each path. A discard ends none: the agent is still to hear the reason. */
export function rejectionsFor(records: readonly ReviewRecord[]): Rejection[] {
  const last = lastWords(records)
  const found = new Map<string, Rejection>()
  for (const record of records) {
    if (record.kind !== 'verdict' || record.verdict !== 'rejected') continue
    const { id, by, at, reason = '' } = verdictOf(record)
    for (const { path, hunks } of record.entries) {
      const stands = last(path, id)
      const standing = hunks === undefined ? stands() : hunks.some((hunk) => stands(hunk.id))
      // A verdict that a commit left on the rest of a file is written down again for that rest: it is one rejection.
      found.set(`${id} ${path}`, { id, path, ...(hunks && { hunks }), reason, by, at, standing })
    }
  }
  return [...found.values()]
}

/** Whether a record is the latest on a path, or on a hunk of it. */
function lastWords(records: readonly ReviewRecord[]): (path: string, id: string) => (hunk?: string) => boolean {
  const files = new Map<string, string>()
  const hunks = new Map<string, string>()
  const hunkKey = (path: string, hunk: string) => `${hunk} ${path}`
  for (const record of records) {
    if (record.kind === 'discard' || record.kind === 'amend') continue
    for (const { path, hunks: parts, except } of record.entries) {
      if (parts) for (const part of parts) hunks.set(hunkKey(path, part.id), record.id)
      else {
        files.set(path, record.id)
        if (record.kind === 'committed') continue
        const kept = new Set(except?.map((id) => hunkKey(path, id)))
        for (const key of hunks.keys()) if (key.endsWith(` ${path}`) && !kept.has(key)) hunks.delete(key)
      }
    }
  }
  return (path, id) => (hunk) => (hunk === undefined ? files.get(path) : hunks.get(hunkKey(path, hunk))) === id
}
