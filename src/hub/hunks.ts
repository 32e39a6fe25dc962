import { diffFile, type FileDiff } from '../review/index.js'
import { readContent } from './contents.js'
import type { Query } from './sql.js'
import type { QueuedChange } from './types.js'

/** The fields of a change that say whether hunks show all of it. */
type Shape = Pick<QueuedChange, 'kind' | 'from' | 'mode' | 'link'>

/** Whether hunks can show all of a change: a name, a mode, a link or a new file is in none, and is decided as a whole. */
export function isContentOnly({ kind, from, mode, link }: Shape): boolean {
  return kind === 'modify' && from === undefined && mode === undefined && link === undefined
}

/** The hunks of a change that can be decided one by one; none if it can only be decided as a whole. */
export function decidableHunks(
  change: Shape,
  { hunks, encoding }: Pick<FileDiff, 'hunks' | 'encoding'>,
): FileDiff['hunks'] {
  // A verdict on one of two hunks with the same id would be one on both.
  const isUnique = new Set(hunks.map(({ id }) => id)).size === hunks.length
  return isContentOnly(change) && isUnique && !encoding.includes('encoding-changed') ? hunks : []
}

/** The ids of a queued change's hunks that can be decided one by one, from the contents that its reviewer sees. */
export async function readHunks(query: Query, change: QueuedChange): Promise<readonly string[]> {
  const { path, shown } = change
  if (shown === undefined || !isContentOnly(change)) return []
  const [before, after] = [await readContent(query, shown.before), await readContent(query, shown.after)]
  return decidableHunks(change, diffFile(before, after, path)).map(({ id }) => id)
}
