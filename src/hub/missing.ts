import { oneLine } from '../core/printable.js'
import type { HunkState, SubmittedChange } from './types.js'

/**
 * Describes the approvals that a change or a hunk still needs, beyond one by anybody. Empty for one without such rules
 * or votes.
 */
export function describeMissing({ approvedBy = [], missing }: SubmittedChange | HunkState): string {
  const { approvals = 0, owners = [], rejectedBy = [] } = missing ?? {}
  const parts = [
    approvedBy.length > 0 ? `Approved by ${list(approvedBy)}.` : '',
    rejectedBy.length > 0 ? `The rejection by ${list(rejectedBy)} applies until they approve.` : '',
    approvals > 1 || (approvals === 1 && approvedBy.length > 0)
      ? `It needs ${approvals} ${approvedBy.length > 0 ? 'more ' : ''}${approvals === 1 ? 'approval' : 'approvals'}.`
      : '',
    ...owners.map((names) => `It needs the approval of ${names.length === 1 ? 'its owner' : 'one of'} ${list(names)}.`),
  ]
  return parts.filter((part) => part !== '').join(' ')
}

function list(names: readonly string[]): string {
  return names.map(oneLine).join(', ')
}
