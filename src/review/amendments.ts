import { defined } from '../core/defined.js'
import type { Reviewer } from '../core/people.js'
import type { AmendRecord, ReviewRecord } from './record-schema.js'

/** A reviewer's change of a staged file, for the agent. */
export interface Amendment {
  readonly id: string
  readonly path: string
  readonly cause: AmendRecord['cause']
  readonly by: Reviewer
  /** False once a commit or discard has taken the whole change. */
  readonly isInForce: boolean
  /** Set for a merge that the agent caused by reading the file: its result. */
  readonly read?: 'clean' | 'markers' | 'beside'
}

/** All amendments of contents, and merges by reading that changed no content, in order. */
export function amendmentsFor(records: readonly ReviewRecord[]): Amendment[] {
  const ended = new Map<string, number>()
  records.forEach(({ kind, entries }, index) => {
    if (kind !== 'committed' && kind !== 'discard') return
    for (const { path, hunks } of entries) if (hunks === undefined) ended.set(path, index)
  })
  return records.flatMap((record, index) => {
    if (record.kind !== 'amend' || (record.content === undefined && record.reading !== true)) return []
    const { id, cause, by } = record
    const read = readingOf(record)
    const reviewer = { name: by.name, ...defined({ email: by.email }) }
    return record.entries.map(({ path }) => {
      const isInForce = record.content !== undefined && (ended.get(path) ?? -1) < index
      return { id, path, cause, by: reviewer, isInForce, ...(read && { read }) }
    })
  })
}

function readingOf({ reading, conflict, content }: AmendRecord): Amendment['read'] {
  if (reading !== true) return undefined
  if (content === undefined) return 'beside'
  return conflict === true ? 'markers' : 'clean'
}
