import { isDeepStrictEqual } from 'node:util'
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
    if (hasMoved(error)) return 'other bytes'
    throw error
  }
}

/** The agent has written since, or discarded it, or the disk has changed: the verdict is on other bytes. */
function hasMoved(error: unknown): boolean {
  return error instanceof EscrowError && (error.reason === 'stale_file' || error.reason === 'nothing_selected')
}

/** Whether decisions on whole changes can be recorded as one verdict: of the same people, for the same reason, without parts. */
export function isAlike(one: ReceivedDecision, other: ReceivedDecision): boolean {
  const about = ({ session, verdict, reason, reviewer, approvers, hunks, parts = [] }: ReceivedDecision) =>
    hunks === undefined && parts.length === 0 ? { session, verdict, reason, reviewer, approvers } : undefined
  return about(one) !== undefined && isDeepStrictEqual(about(one), about(other))
}

/**
 * As {@link recordDecision}, for decisions that are {@link isAlike}, on different paths. One reading of the session and one verdict do for all,
 * which takes much less time.
 * @returns an outcome for each
 */
export async function recordAlike(
  workspace: Workspace,
  session: string,
  decisions: readonly [ReceivedDecision, ...ReceivedDecision[]],
  rejectedByHub: readonly string[],
): Promise<readonly Recorded[]> {
  if (!(await workspace.sessions()).some(({ id }) => id === session)) return decisions.map(() => 'passed over')
  const review = await workspace.review(session)
  const byPath = new Map<string, Change[]>()
  for (const change of (await review.changes()).changes)
    byPath.set(change.path, [...(byPath.get(change.path) ?? []), change])
  const chosen: ReceivedDecision[] = []
  const outcomes = decisions.map((decision): Recorded => {
    const [change, ...others] = byPath.get(decision.path) ?? []
    if (change === undefined || ![change, ...others].some((each) => isChange(each, decision.key))) return 'other bytes'
    if (others.length > 0 || selectWhole(change, decision, rejectedByHub) === undefined) return 'passed over'
    chosen.push(decision)
    return decision.verdict
  })
  const paths = chosen.map(({ path }) => path)
  if (paths.length === 0 || (await hasRecorded(review, paths, decisions[0]))) return outcomes
  // Some of the people may be recorded by now, so that the changes look decided: each is recorded for all of them.
  const late = new Set<ReceivedDecision>()
  for (const decision of chosen) if (!(await hasRecorded(review, [decision.path], decision))) late.add(decision)
  return outcomes.map((outcome, at) => (late.has(decisions[at] ?? decisions[0]) ? 'other bytes' : outcome))
}

/** Returns false if the agent or the disk has changed one of the paths since the review was read. */
async function hasRecorded(review: Review, paths: string[], decision: ReceivedDecision): Promise<boolean> {
  try {
    await record(review, { paths }, decision)
    return true
  } catch (error) {
    if (hasMoved(error)) return false
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
