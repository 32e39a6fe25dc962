import { committedBy, lastCommit } from '../commit/index.js'
import { newId } from '../core/ids.js'
import type { Layout } from '../core/layout.js'
import { committedRecordsOf, type ReviewLog, type ReviewRecord, reviewRecord, writeCommitted } from '../review/index.js'

/**
 * Uses up the approvals of what a session's commits have taken to the disk, where the committing process died before it
 * could say so: else the same change, staged once more, would need no new verdict. What a commit that took parts of files
 * leaves of the words on them stands in its plan. A log that is begun anew, as a damaged one was moved away, first says which
 * commit was the last before it: those use up nothing that is said in it.
 * @returns a function that does so for the commits that have come since it was called last.
 */
export function consumeCommittedApprovals(layout: Layout, sessionId: string, log: ReviewLog): () => Promise<void> {
  let looked = 0
  return async () => {
    const last = lastCommit(layout)
    if (last === looked) return
    const records = log.read()
    const told = new Set(records.flatMap((record) => (record.kind === 'committed' ? [numberOf(record.tx)] : [])))
    const [first = 0] = [...told].sort((a, b) => a - b)
    const since = Math.max(looked, first)
    const untold = committedBy(layout, sessionId, (seq) => seq > since && !told.has(seq))
    if (records.length === 0) {
      const before = untold.at(-1)
      if (before) await log.appendAfter(records, committedRecord(before.tx, []), async () => undefined)
    } else {
      for (const { tx, changes, noted, left } of untold) {
        const planned = noted.map((record) => reviewRecord.parse(record))
        const entries = changes.map(({ path, old, new: after }) => ({ path, before: old, after }))
        const landed =
          noted.length > 0 ? committedRecordsOf(planned, (path) => !left.has(path)) : [committedRecord(tx, entries)]
        await writeCommitted(log, tx, landed)
      }
    }
    looked = last
  }
}

function committedRecord(tx: string, entries: ReviewRecord['entries']): ReviewRecord {
  return { kind: 'committed', tx, id: newId(), at: new Date().toISOString(), entries }
}

/** A commit's number, by the name of its transaction. */
function numberOf(tx: string): number {
  return Number.parseInt(tx, 10) || 0
}
