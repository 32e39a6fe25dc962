import { describeChecks } from './check-words.js'
import { describeUnticked } from './checklist-words.js'
import { describeFiles } from './files.js'
import type { State } from './state.js'

/** The question before a merge, where nothing is approved. Undefined if no change has drifted from the disk. */
export function mergeQuestion({ set }: State): string | undefined {
  const drifted = set.changes.filter(({ flags, state }) => flags.includes('drifted') && state !== 'rejected')
  return drifted.length === 0
    ? undefined
    : `Changed on disk: ${describeFiles(drifted)}. m: merge with what is on disk now`
}

/** The question before a commit. Undefined if nothing is approved. */
export function commitQuestion({ set, checks, checking, checklist }: State): string | undefined {
  const isApproved = (each: { readonly state: string }) => each.state === 'approved'
  const approved = set.changes
    .filter((change) => isApproved(change) || change.hunks.some(isApproved))
    .map((change) => (isApproved(change) ? change : { ...change, hunks: change.hunks.filter(isApproved) }))
  if (approved.length === 0) return undefined
  const checked = describeChecks(checks, checking)
  const unticked = describeUnticked(checklist.filter(({ ticked }) => !ticked))
  const files = `${describeFiles(approved)}${checked && ` (${checked})`}`
  return `${unticked && `${unticked} `}Write to disk: ${files}? y: yes, m: merge with what is on disk now`
}
