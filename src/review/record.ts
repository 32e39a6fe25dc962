import { type FileState, sameState } from '../../overlay/index.js'
import type { Verdict } from '../core/api.js'
import { defined } from '../core/defined.js'
import type { Reviewer } from '../core/people.js'
import type { ChangeRef, ReviewEntry, ReviewRecord, VerdictRecord } from './record-schema.js'

export function entryOf(change: ChangeRef): ReviewEntry {
  const { path, from, before, after } = change
  return { path, ...defined({ from }), before: stateOf(before), after: stateOf(after) }
}

/** Identifies a change. One path has two if a directory replaced a file. */
export function keyOf({ path, before, after }: ChangeRef): string {
  return before?.type === 'dir' || after?.type === 'dir' ? `${path}/` : path
}

/** Whether a change is still the one of an entry: it has the same path, base and result. */
export function matches(entry: ChangeRef, change: ChangeRef): boolean {
  return (
    entry.path === change.path &&
    entry.from === change.from &&
    sameState(entry.before, change.before) &&
    sameState(entry.after, change.after)
  )
}

export function verdictOf({ id, verdict, entries, reason, by, at, rule }: VerdictRecord): Verdict {
  const paths = entries.map(({ path }) => path)
  const hunks = entries.flatMap((each) => (each.hunks ?? []).map((hunk) => hunk.id))
  return {
    id,
    verdict,
    paths,
    ...(hunks.length > 0 && { hunks }),
    ...defined({ reason, rule }),
    by: reviewerOf(by),
    at,
  }
}

export function reviewerOf({ name, email }: VerdictRecord['by']): Reviewer {
  return { name, ...defined({ email }) }
}

/** The records of a commit that are about the paths that it committed. */
export function committedRecordsOf(
  records: readonly ReviewRecord[],
  isLanded: (path: string) => boolean,
): ReviewRecord[] {
  return records
    .map((record) => ({ ...record, entries: record.entries.filter(({ path }) => isLanded(path)) }))
    .filter(({ entries }) => entries.length > 0)
}

/** Only the compared fields: a staged state may have more. */
function stateOf(from: FileState | null): FileState | null {
  return from === null ? null : { type: from.type, digest: from.digest, mode: from.mode }
}
