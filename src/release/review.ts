import { requireOutsideSession } from '../access/index.js'
import type { Review } from '../core/api.js'
import { createReview, type StageReview } from '../review/index.js'
import { CommittedApprovals } from './consume-approvals.js'
import { quarantineOf } from './quarantine.js'
import type { ReviewedSession } from './reviewed-session.js'
import { ReviewedStage } from './reviewed-stage.js'
import { SessionEffects } from './session-effects.js'

/** Opens the review of a session. Its decisions become commits and ledger records. */
export async function reviewOf(session: ReviewedSession): Promise<Review> {
  const { layout, sessionId, log } = session
  const approvals = new CommittedApprovals(layout, sessionId, log)
  await approvals.consume()
  const stage = new ReviewedStage(session, approvals, await session.stage())
  const effects = new SessionEffects(session, stage)
  const review = createReview({ sessionId, root: layout.root }, log, stage, effects)
  const approve: StageReview['approve'] = async (selection, by) => {
    const verdict = await review.approve(selection, by)
    await stage.measure(verdict.paths)
    return verdict
  }
  return { ...guardDecisions({ ...review, approve }), ...quarantineOf(session) }
}

/** Methods that an agent's own process may call. The compiler requires every other method in {@link guardDecisions}. */
type ReadOnly = 'sessionId' | 'changes' | 'content' | 'snapshots' | 'questions'

/** Makes every method that decides refuse callers inside of a session. */
function guardDecisions(review: StageReview): StageReview {
  const deciding = {
    approve: requireOutsideSession(review.approve),
    reject: requireOutsideSession(review.reject),
    withdraw: requireOutsideSession(review.withdraw),
    split: requireOutsideSession(review.split),
    edit: requireOutsideSession(review.edit),
    commit: requireOutsideSession(review.commit),
    discard: requireOutsideSession(review.discard),
    answer: requireOutsideSession(review.answer),
  } satisfies Record<Exclude<keyof StageReview, ReadOnly>, unknown>
  return { ...review, ...deciding }
}
