import type { StagedChange } from '../../overlay/change.js'
import type { ChangeState, Reviewer, Verdict } from '../core/api.js'
import { keyOf, matches, type ReviewEntry, type ReviewRecord, type VerdictRecord, verdictOf } from './record.js'

/** The verdicts that stand. */
export interface VerdictState {
  /** Pending where nobody has spoken of the path, or spoke of another base or other content. */
  of(change: StagedChange): { readonly state: ChangeState; readonly verdict?: Verdict }
}

/** A reviewer's no, as the agent's side hears of it. */
export interface Rejection {
  /** Of the verdict. */
  readonly id: string
  readonly path: string
  readonly reason: string
  readonly by: Reviewer
  readonly at: string
  /** True while no later verdict, and no commit, has been on the path. */
  readonly standing: boolean
}

interface Word {
  readonly record: VerdictRecord
  readonly entry: ReviewEntry
}

/** Reads a review log as the verdicts that stand: the latest word on each path. Commit and discard use a word up. */
export function verdictState(records: readonly ReviewRecord[]): VerdictState {
  const words = new Map<string, Word>()
  for (const record of records) {
    for (const entry of record.entries) {
      if (record.kind === 'verdict') words.set(keyOf(entry), { record, entry })
      else words.delete(keyOf(entry))
    }
  }
  return {
    of(change) {
      const word = words.get(keyOf(change))
      if (word === undefined || !matches(word.entry, change)) return { state: 'pending' }
      return { state: word.record.verdict, verdict: verdictOf(word.record) }
    },
  }
}

/** All rejections ever given, in order, one for each path. A discard ends none: the agent is still to hear the reason. */
export function rejectionsFor(records: readonly ReviewRecord[]): Rejection[] {
  const lastWord = new Map<string, string>()
  for (const record of records) {
    if (record.kind === 'discard') continue
    for (const { path } of record.entries) lastWord.set(path, record.id)
  }
  return records.flatMap((record) => {
    if (record.kind !== 'verdict' || record.verdict !== 'rejected') return []
    const { id, by, at, reason = '' } = verdictOf(record)
    return record.entries.map(({ path }) => ({ id, path, reason, by, at, standing: lastWord.get(path) === id }))
  })
}
