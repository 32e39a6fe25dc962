import { defined } from '../core/defined.js'
import type { SharedFile } from '../core/layout.js'
import type { UnanchoredRecords } from '../core/ledger-api.js'
import type { Anchors } from './anchors.js'
import { text } from './fields.js'
import { ownRecord } from './own-record.js'
import type { Copies } from './published.js'
import { unvouchedLines, Vouching } from './vouching.js'

/**
 * Summarizes the records of others, for a person to accept them. Does not check the chain, which is the task of verify.
 */
export function unanchoredRecords(file: SharedFile, anchors: Anchors, copies: Copies): UnanchoredRecords {
  const vouching = new Vouching(file, anchors, copies)
  const [approvers, sessions] = [new Set<string>(), new Set<string>()]
  let lines = 0
  let first: string | undefined
  let last: string | undefined
  for (const { value } of unvouchedLines(file, vouching)) {
    const [at, sessionId] = [text(value.timestamp), text(value.session_id)]
    const { reviewer, approved_by: approvedBy = [] } = ownRecord(value) ?? {}
    lines++
    for (const name of [reviewer?.name, ...approvedBy]) if (name !== undefined) approvers.add(name)
    if (sessionId !== undefined) sessions.add(sessionId)
    if (at !== undefined && (first === undefined || at < first)) first = at
    if (at !== undefined && (last === undefined || at > last)) last = at
  }
  const { ranges, differs, absent } = vouching.result()
  return {
    count: lines,
    ranges,
    ...(differs !== undefined && { differs: differs.seq }),
    ...defined({ absent }),
    approvers: [...approvers],
    sessions: [...sessions],
    ...defined({ first, last }),
  }
}
