/**
 * Messages between people and the agent of a session: feedback until it is delivered, questions and their answers.
 *
 * Data enters from the review log (verdicts, amendments, answers) and from refused writes and commands (questions). It leaves
 * as feedback, each piece once: to the session itself, to hooks of other processes through the owner's socket (`ask-owner.ts`), and to
 * programs in a mount through a file (`mount-feedback.ts`). Notes in the stage's log record what was delivered or used up.
 *
 * Does not decide the effect of a verdict or an answer.
 */
export { isNews } from './known-texts.js'
export { agentOfSession, ownerSocketOf, publishSocket, type SessionState, stateOfSession } from './owner-socket.js'
export { SessionQuestions } from './questions.js'
export {
  AMENDMENT_VERBS,
  DELIVERED_NOTE,
  linesOf,
  type PendingFeedback,
  type Undelivered,
  undeliveredFeedback,
} from './undelivered-feedback.js'
