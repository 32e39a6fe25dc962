import type { Change, Workspace } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { changeKey } from '../hub/index.js'
import type { ReceivedDecision, ReceivedLanding } from './hub-client.js'

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

/** Who rejects what did not land. */
const QUEUE = { name: 'landing queue' }

/**
 * Gives the agent the reason of an eviction: it rejects those changes that the session still has, byte by byte.
 * @returns the changes that were rejected
 */
export async function recordEviction(
  workspace: Workspace,
  session: string,
  { changes: evicted, reason = 'It did not land.' }: ReceivedLanding,
): Promise<ReceivedLanding['changes']> {
  if (!(await workspace.sessions()).some(({ id }) => id === session)) return []
  const review = await workspace.review(session)
  const { changes } = await review.changes()
  const rejected = evicted.filter(({ key, path }) => {
    const [change, ...more] = changes.filter((each) => each.path === path)
    // A selection by path would choose both changes where a directory replaces a file.
    return change !== undefined && more.length === 0 && isChange(change, key) && change.state !== 'rejected'
  })
  if (rejected.length === 0) return []
  try {
    await review.reject({ paths: rejected.map(({ path }) => path) }, reason, QUEUE)
    return rejected
  } catch (error) {
    if (error instanceof EscrowError && error.reason === 'stale_file') return []
    throw error
  }
}

/** Whether a change is the one that a key names. */
export function isChange(change: Change, key: string): boolean {
  return changeKey(Object.assign({ risk: 0 }, change)) === key
}
