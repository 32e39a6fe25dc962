import { committedBy, lastCommit } from '../commit/index.js'
import { newId } from '../core/ids.js'
import type { Layout } from '../core/layout.js'
import { committedRecordsOf, type ReviewLog, type ReviewRecord, reviewRecord, writeCommitted } from '../review/index.js'

/**
 * The approvals that a session's commits have used. A committing process may die before it records its commit in the review
 * log; without the record, staging the same change again would need no new verdict.
 */
export class CommittedApprovals {
  /** The number of the last commit that was checked. */
  #lastSeen = 0

  constructor(
    private readonly layout: Layout,
    private readonly sessionId: string,
    private readonly log: ReviewLog,
  ) {}

  /** Records the session's commits that the review log does not have yet. */
  async consume(): Promise<void> {
    const last = lastCommit(this.layout)
    if (last === this.#lastSeen) return
    const records = this.log.read()
    const recorded = new Set(records.flatMap((record) => (record.kind === 'committed' ? [numberOf(record.tx)] : [])))
    const [first = 0] = [...recorded].sort((a, b) => a - b)
    const since = Math.max(this.#lastSeen, first)
    const missing = committedBy(this.layout, this.sessionId, (seq) => seq > since && !recorded.has(seq))
    if (records.length === 0) {
      // The log is new because a damaged one was moved away: earlier commits used none of its verdicts.
      const before = missing.at(-1)
      if (before) await this.log.appendAfter(records, committedRecord(before.tx, []), async () => undefined)
    } else {
      for (const commit of missing) await writeCommitted(this.log, commit.tx, recordsOf(commit))
    }
    this.#lastSeen = last
  }
}

/** The records that a commit of parts planned. A commit of whole changes plans none and gets one record. */
function recordsOf({ tx, changes, noted, left }: ReturnType<typeof committedBy>[number]): ReviewRecord[] {
  const planned = noted.map((record) => reviewRecord.parse(record))
  if (planned.length > 0) return committedRecordsOf(planned, (path) => !left.has(path))
  return [
    committedRecord(
      tx,
      changes.map(({ path, old, new: after }) => ({ path, before: old, after })),
    ),
  ]
}

function committedRecord(tx: string, entries: ReviewRecord['entries']): ReviewRecord {
  return { kind: 'committed', tx, id: newId(), at: new Date().toISOString(), entries }
}

/** A transaction's id begins with the commit's number. */
function numberOf(tx: string): number {
  return Number.parseInt(tx, 10) || 0
}
