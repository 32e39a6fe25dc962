/**
 * Messages between people and the agent of a session: feedback until it is delivered, questions and their answers.
 *
 * Data enters from the review log (verdicts, amendments, answers) and from refused writes and commands (questions). It leaves
 * as feedback, each piece once: to the session itself, to hooks of other processes by the owner's socket (`ask-owner.ts`), and to
 * programs in a mount by a file (`mount-words.ts`). Notes in the stage's log remember what was delivered or used up.
 *
 * May not happen here: a decision about what a verdict or an answer does.
 */
export { isNews } from './known-texts.js'
export { ownerSocketOf, publishSocket, type SessionState, stateOfSession } from './owner-socket.js'
export { SessionQuestions } from './questions.js'
export {
  AMENDED,
  DELIVERED,
  linesOf,
  type PendingFeedback,
  type Undelivered,
  undeliveredFeedback,
} from './undelivered-feedback.js'
