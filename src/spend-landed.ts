import { committedBy, lastCommit } from './commit/index.js'
import { newId } from './core/ids.js'
import type { Layout } from './core/layout.js'
import type { ReviewLog } from './review/log.js'
import { landedOf, reviewRecord } from './review/record.js'

/**
 * Uses up the approvals of what a session's commits have taken to the disk, where the committing process died before it
 * could say so: else the same change, staged once more, would need no new verdict. What a commit that took parts of files
 * leaves of the words on them stands in its plan.
 * @returns a function that does so for the commits that have come since it was called last.
 */
export function spendingLanded(layout: Layout, sessionId: string, log: ReviewLog): () => Promise<void> {
  let looked = 0
  return async () => {
    const last = lastCommit(layout)
    const records = log.read()
    if (last === looked || records.length === 0) return
    const told = new Set(records.flatMap((record) => (record.kind === 'committed' ? [record.tx] : [])))
    const since = Math.max(looked, ...[...told].map((tx) => Number.parseInt(tx, 10) || 0))
    for (const { tx, changes, noted, left } of committedBy(layout, sessionId, since)) {
      if (told.has(tx)) continue
      if (noted.length > 0) {
        const planned = noted.map((record) => reviewRecord.parse(record))
        for (const record of landedOf(planned, (path) => !left.has(path))) await log.append(record)
        continue
      }
      const entries = changes.map(({ path, old, new: after }) => ({ path, before: old, after }))
      await log.append({ kind: 'committed', tx, id: newId(), at: new Date().toISOString(), entries })
    }
    looked = last
  }
}
