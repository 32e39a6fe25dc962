import type { Review, Workspace } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { isChange } from './incoming.js'
import { type Landed, readLandedOf } from './settings.js'

/**
 * The changes that workers have landed and that are still staged here, because this machine has not pulled the branch's
 * new commits.
 */
export async function landedChanges(workspace: Workspace): Promise<Landed[]> {
  const sessions = new Set((await workspace.sessions()).filter(({ changes }) => changes > 0).map(({ id }) => id))
  const found: Landed[] = []
  for (const landed of readLandedOf(workspace.root)) {
    if (!sessions.has(landed.session)) continue
    const changes = await stillStaged(await workspace.review(landed.session), landed)
    if (changes.length > 0) found.push(Object.assign({}, landed, { changes }))
  }
  return found
}

/**
 * Records landed changes in the ledger while they are still staged on this machine. Once the stage has dropped it,
 * nothing here knows who wrote its lines.
 * @returns the reason if the ledger cannot record them
 */
export async function recordLanded(workspace: Workspace, landed: Landed): Promise<string | undefined> {
  const { session, branch, commit } = landed
  if (!(await workspace.sessions()).some(({ id }) => id === session)) return undefined
  const review = await workspace.review(session)
  const paths = (await stillStaged(review, landed)).map(({ path }) => path)
  try {
    await review.recordLanded(paths, { branch, commit })
    return undefined
  } catch (error) {
    // No later attempt could record it, and the next landings must not wait for it.
    if (error instanceof EscrowError && error.reason === 'limit_exceeded') return error.message
    throw error
  }
}

/** The changes of a landing that a session has staged as they landed. A path with two changes is left out: nothing selects one of them. */
async function stillStaged(review: Review, { changes }: Landed): Promise<Landed['changes']> {
  const staged = (await review.changes()).changes
  return changes.filter(({ key, path }) => {
    const [change, ...others] = staged.filter((each) => each.path === path)
    return change !== undefined && others.length === 0 && isChange(change, key)
  })
}
