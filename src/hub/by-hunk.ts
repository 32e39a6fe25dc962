import { defined } from '../core/defined.js'
import type { Approval, Vote } from './approval.js'
import type { Decided } from './decided.js'
import type { HunkState, Missing, QueuedChange } from './types.js'

/**
 * The votes that count for a hunk: those on it, and those on the whole change.
 * @param hunk undefined: the change can only be decided as a whole
 * @param all the ids of the change's hunks. A rejection of an unknown hunk, from another version of escrow, applies to
 *   each hunk.
 */
export function votesOn(votes: readonly Vote[], hunk: string | undefined, all: readonly string[]): readonly Vote[] {
  return votes.filter(({ verdict, hunks }) => {
    if (hunks === undefined || (hunk !== undefined && hunks.includes(hunk))) return true
    return verdict === 'rejected' && (hunk === undefined || hunks.some((id) => !all.includes(id)))
  })
}

/** The hunks of a change that have a vote or a decision of their own, and the approvals that each still needs. */
export function hunkStates(
  change: QueuedChange,
  { whole, hunks }: Decided,
  votes: readonly Vote[],
  approval: Approval,
): HunkState[] {
  const ids = namedHunks(votes, hunks)
  return ids.map((id) => {
    const decision = hunks.get(id) ?? whole
    if (decision?.verdict === 'approved') return Object.assign({ id }, decision)
    const hunkVotes = votesOn(votes, id, ids)
    return Object.assign(
      { id },
      decision,
      defined({ approvedBy: approversOf(hunkVotes), missing: approval.missing(change, hunkVotes) }),
    )
  })
}

/** The approvals that a whole change still needs: those that any of its hunks needs. */
export function missingOf(change: QueuedChange, votes: readonly Vote[], approval: Approval): Missing | undefined {
  const ids = namedHunks(votes)
  const others = votes.filter(({ hunks }) => hunks === undefined)
  const parts = [others, ...ids.map((id) => votesOn(votes, id, ids))].flatMap(
    (hunkVotes) => approval.missing(change, hunkVotes) ?? [],
  )
  if (parts.length === 0) return undefined
  const owners = parts.flatMap((part) => part.owners)
  return {
    approvals: Math.max(...parts.map(({ approvals }) => approvals)),
    owners: owners.filter((names, at) => owners.findIndex((each) => each.join() === names.join()) === at),
    rejectedBy: [...new Set(parts.flatMap(({ rejectedBy }) => rejectedBy))],
  }
}

/** The names of those who approved, in order; undefined: nobody. */
export function approversOf(votes: readonly Vote[]): readonly string[] | undefined {
  const approvals = votes.filter(({ verdict, isRevoked }) => verdict === 'approved' && !isRevoked)
  return approvals.length === 0 ? undefined : [...new Set(approvals.map(({ name }) => name))]
}

function namedHunks(votes: readonly Vote[], decided: ReadonlyMap<string, unknown> = new Map()): string[] {
  return [...new Set([...decided.keys(), ...votes.flatMap(({ hunks = [] }) => hunks)])]
}
