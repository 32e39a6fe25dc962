import { outside } from '../access/index.js'
import type { Review } from '../core/api.js'
import { createReview, type StageReview } from '../review/index.js'
import { CommittedApprovals } from './consume-approvals.js'
import { quarantineOf } from './quarantine.js'
import type { ReviewedSession } from './reviewed-session.js'
import { ReviewedStage } from './reviewed-stage.js'
import { SessionEffects } from './session-effects.js'

/** The review of a session: over its stage, with commits and ledger records as the effects. */
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
  return { ...refusedInside({ ...review, approve }), ...quarantineOf(session) }
}

/** Methods that an agent's own process may call. The compiler demands that every other one is listed in {@link refusedInside}. */
type ReadOnly = 'sessionId' | 'changes' | 'content' | 'snapshots' | 'questions'

/** The review with every method that decides refused inside of a session. */
function refusedInside(review: StageReview): StageReview {
  const deciding = {
    approve: outside(review.approve),
    reject: outside(review.reject),
    withdraw: outside(review.withdraw),
    split: outside(review.split),
    edit: outside(review.edit),
    commit: outside(review.commit),
    discard: outside(review.discard),
    answer: outside(review.answer),
  } satisfies Record<Exclude<keyof StageReview, ReadOnly>, unknown>
  return { ...review, ...deciding }
}
