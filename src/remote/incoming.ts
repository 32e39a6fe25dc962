import type { Change, Workspace } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { changeKey } from '../hub/index.js'
import type { ReceivedDecision } from './hub-client.js'

/** What a decision did. `passed over`: this machine has other bytes now, the same verdict, or a rejection by a person here. */
export type Outcome = 'approved' | 'rejected' | 'passed over'
/** `other bytes`: the decision holds if the session has those of the decision again. */
type Recorded = Outcome | 'other bytes'

/**
 * Records a decision in the review log of this machine, if the session still has exactly the change that it names: path, kind, modes and
 * the digests of both sides, as this machine computes them.
 * @param isRejectedByHub whether the hub, not a person here, rejected this change before
 */
export async function recordDecision(
  workspace: Workspace,
  session: string,
  { key, path, verdict, reason, reviewer }: ReceivedDecision,
  isRejectedByHub: boolean,
): Promise<Recorded> {
  if (!(await workspace.sessions()).some(({ id }) => id === session)) return 'passed over'
  const review = await workspace.review(session)
  const { changes } = await review.changes()
  const change = changes.find((each) => each.path === path && isChange(each, key))
  if (change === undefined) return 'other bytes'
  if (change.state === verdict) return 'passed over'
  // A person here may have rejected it after the decision on the hub.
  if (change.state === 'rejected' && !isRejectedByHub) return 'passed over'
  // A selection by path would choose both changes where a directory replaces a file.
  if (changes.filter((each) => each.path === path).length > 1) return 'passed over'
  const selection = { paths: [path] }
  const by = { name: reviewer }
  try {
    if (verdict === 'approved') await review.approve(selection, by)
    else await review.reject(selection, reason ?? 'Rejected on the hub.', by)
    return verdict
  } catch (error) {
    // The agent has written since, or the disk has: the verdict is on other bytes.
    if (error instanceof EscrowError && error.reason === 'stale_file') return 'other bytes'
    throw error
  }
}

/** Whether a change is the one that a key names. */
export function isChange(change: Change, key: string): boolean {
  return changeKey(Object.assign({ risk: 0 }, change)) === key
}
