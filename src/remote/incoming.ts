import type { Change, Hunk, Review, Selection, Workspace } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { changeKey, isContentOnly } from '../hub/index.js'
import type { ReceivedDecision } from './hub-client.js'

/**
 * The effect of a decision on this machine. `passed over`: this machine has other bytes now, the same verdict, or a
 * rejection by a person here.
 */
export type Outcome = 'approved' | 'rejected' | 'passed over'
/** `other bytes`: the session has other bytes now. The decision applies if it gets those of the decision again. */
type Recorded = Outcome | 'other bytes'

/**
 * Records a decision in the review log of this machine, if the session still has exactly the change that it names: path, kind, modes and
 * the digests of both sides, as this machine computes them. A decision on hunks needs this machine to find exactly these hunks, too.
 * @param rejectedByHub the names of what the hub, not a person here, rejected before: see {@link namesOf}
 */
export async function recordDecision(
  workspace: Workspace,
  session: string,
  decision: ReceivedDecision,
  rejectedByHub: readonly string[],
): Promise<Recorded> {
  if (!(await workspace.sessions()).some(({ id }) => id === session)) return 'passed over'
  const { key, path, verdict } = decision
  const review = await workspace.review(session)
  const { changes } = await review.changes()
  const change = changes.find((each) => each.path === path && isChange(each, key))
  if (change === undefined) return 'other bytes'
  // A selection by path would choose both changes where a directory replaces a file.
  if (changes.filter((each) => each.path === path).length > 1) return 'passed over'
  const selection =
    decision.hunks === undefined
      ? selectWhole(change, decision, rejectedByHub)
      : selectHunks(change, decision.hunks, decision, rejectedByHub)
  if (selection === undefined) return 'passed over'
  try {
    await record(review, selection, decision)
    await recordParts(review, decision)
    return verdict
  } catch (error) {
    // The agent has written since, or the disk has: the verdict is on other bytes.
    if (error instanceof EscrowError && error.reason === 'stale_file') return 'other bytes'
    throw error
  }
}

/** Records one verdict of each person who approved all of it, the deciding one last. */
async function record(review: Review, selection: Selection, decision: ReceivedDecision) {
  const { verdict, reason, reviewer, approvers = [] } = decision
  if (verdict === 'rejected') await review.reject(selection, reason ?? 'Rejected on the hub.', { name: reviewer })
  else for (const name of new Set([...approvers, reviewer])) await review.approve(selection, { name })
}

/**
 * Records the approvals of those who approved some hunks alone. An approval of the whole replaces those of its hunks,
 * so these come after it. Decisions that a person here has made in the meantime stay.
 */
async function recordParts(review: Review, { key, path, verdict, parts = [] }: ReceivedDecision) {
  if (verdict !== 'approved') return
  for (const { name, hunks } of parts) {
    const { changes } = await review.changes()
    const change = changes.find((each) => each.path === path && isChange(each, key))
    const ids = hunks.flatMap((id) => (change === undefined ? [] : piecesOf(change, id)))
    const approved = ids.filter(({ state }) => state === 'approved').map(({ id }) => id)
    if (approved.length > 0) await review.approve({ hunks: approved }, { name })
  }
}

/** A reviewer here may have split a hunk: its pieces are that hunk. */
function piecesOf({ hunks }: Change, id: string): Hunk[] {
  return hunks.filter((hunk) => hunk.id === id || hunk.partOf === id)
}

/** Names what a decision is on: a change, or hunks of it. */
export function namesOf({ key, hunks }: Pick<ReceivedDecision, 'key' | 'hunks'>): string[] {
  return hunks === undefined ? [key] : hunks.map((id) => `${key} ${id}`)
}

/** Undefined: it has the verdict, or a person here has rejected it, or a hunk of it, maybe after the decision on the hub. */
function selectWhole(change: Change, { key, path, verdict }: ReceivedDecision, rejectedByHub: readonly string[]) {
  if (change.state === verdict) return undefined
  const parts = change.hunks.length === 0 ? [change] : change.hunks
  const isKept = verdict === 'approved' && parts.some((part) => isRejectedHere(part, key, rejectedByHub))
  return isKept ? undefined : { paths: [path] }
}

/** The hunks to decide on. Undefined: this machine finds others, or there is nothing left to decide. */
function selectHunks(
  change: Change,
  ids: readonly string[],
  { key, verdict }: ReceivedDecision,
  rejectedByHub: readonly string[],
) {
  // In any other change a selection by hunk would choose all of it.
  if (!isContentOnly(change) || change.flags.some((flag) => INDIVISIBLE.includes(flag))) return undefined
  const found = ids.map((id) => piecesOf(change, id))
  if (found.some((hunks) => hunks.length === 0)) return undefined
  const open = found.flat().filter((hunk) => hunk.state !== verdict && !isRejectedHere(hunk, key, rejectedByHub))
  return open.length === 0 ? undefined : { hunks: open.map(({ id }) => id) }
}

/** Flags of changes whose hunks cannot be decided one by one. */
const INDIVISIBLE = ['encoding-changed', 'symlink', 'type-changed']

/** Whether a person here, not the hub, has rejected it. */
function isRejectedHere(part: Change | Hunk, key: string, rejectedByHub: readonly string[]): boolean {
  if (part.state !== 'rejected') return false
  const ids = 'id' in part ? [part.id, ...(part.partOf === undefined ? [] : [part.partOf])] : []
  return ![key, ...ids.map((id) => `${key} ${id}`)].some((name) => rejectedByHub.includes(name))
}

/** Whether a change is the one that a key names. */
export function isChange(change: Change, key: string): boolean {
  return changeKey(Object.assign({ risk: 0 }, change)) === key
}
