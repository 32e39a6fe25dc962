import type { ApprovedTree } from '../acceptance/index.js'
import { enclosingSession, requireOutsideSession } from '../access/index.js'
import { lastCommit } from '../commit/index.js'
import type { Question, Review } from '../core/api.js'
import { defined } from '../core/defined.js'
import { gitUser } from '../os/git.js'
import { createReview, type StageReview } from '../review/index.js'
import { CommittedApprovals } from './consume-approvals.js'
import { quarantineOf } from './quarantine.js'
import type { ReviewedSession } from './reviewed-session.js'
import { ReviewedStage } from './reviewed-stage.js'
import { scopeReach } from './scope-reach.js'
import { SessionEffects } from './session-effects.js'

/** Opens the review of a session. Its decisions become commits and ledger records. */
export async function reviewOf(session: ReviewedSession): Promise<Review> {
  const { layout, sessionId, log } = session
  const approvals = new CommittedApprovals(layout, sessionId, log)
  await approvals.consume()
  const stage = new ReviewedStage(session, approvals, await session.stage())
  const effects = new SessionEffects(session, stage)
  const { byRule, ...review } = createReview({ sessionId, root: layout.root }, log, stage, effects)
  const approve: StageReview['approve'] = async (selection, by) => {
    const verdict = await review.approve(selection, by)
    await stage.measure(verdict.paths)
    return verdict
  }
  const checks = checksOf(session, approvals)
  const { approved, ...shown } = checks
  const release: Review['release'] = async (options = {}) => {
    const { releaseByRule } = await import('./release-by-rule.js')
    const current = async () => ({ ...(await approved()), after: lastCommit(layout) })
    return releaseByRule({ ...review, ...shown, byRule, current }, session, options)
  }
  return {
    ...guardDecisions({ ...review, approve }),
    ...quarantineOf(session),
    ...shown,
    patches: async (per) => {
      const { patchesOf } = await import('./patches.js')
      return patchesOf(session, per)
    },
    questions: async () => (await review.questions()).map((question) => withReach(question, session)),
    release: requireOutsideSession(release),
  }
}

/** A question about scope, with the files that a wider scope would add. */
function withReach(question: Question, { layout, intents }: ReviewedSession): Question {
  if (question.kind !== 'scope') return question
  const state = intents.state()
  const present = state.ok ? (state.intents.get(question.intentId)?.ownedScope ?? []) : []
  return { ...question, reach: scopeReach(layout.root, present, question.globs) }
}

interface Acceptance extends Pick<Review, 'check' | 'checks'> {
  /** The changes that a commit would write now. */
  approved(): Promise<ApprovedTree>
}

/** The checks of a session. Their modules load late: most reviews run no command. */
function checksOf(session: ReviewedSession, approvals: CommittedApprovals): Acceptance {
  const open = async () => {
    const { acceptanceOf } = await import('../acceptance/index.js')
    const stage = async () => {
      const store = await session.stage()
      await approvals.consume()
      return store
    }
    return acceptanceOf({ ...session, stage, reviewer: () => gitUser(session.layout.root) })
  }
  return {
    check: async (options) => {
      // A process of an agent cannot ask in a person's name.
      const agent = enclosingSession() ?? options?.agent
      return (await open()).check({ ...options, ...defined({ agent }) })
    },
    checks: async (selection) => (await open()).checks(selection),
    approved: async () => (await open()).approved(),
  }
}

/** Methods that an agent's own process may call. The compiler requires every other method in {@link guardDecisions}. */
type ReadOnly = 'sessionId' | 'changes' | 'checklist' | 'content' | 'snapshots' | 'questions'

/** Makes every method that decides refuse callers inside of a session. */
function guardDecisions(review: StageReview): StageReview {
  const deciding = {
    approve: requireOutsideSession(review.approve),
    reject: requireOutsideSession(review.reject),
    withdraw: requireOutsideSession(review.withdraw),
    split: requireOutsideSession(review.split),
    edit: requireOutsideSession(review.edit),
    commit: requireOutsideSession(review.commit),
    recordLanded: requireOutsideSession(review.recordLanded),
    discard: requireOutsideSession(review.discard),
    answer: requireOutsideSession(review.answer),
    tick: requireOutsideSession(review.tick),
  } satisfies Record<Exclude<keyof StageReview, ReadOnly>, unknown>
  return { ...review, ...deciding }
}
