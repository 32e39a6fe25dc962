/**
 * What people say to the agent of a session, until it was delivered: verdicts, changes by reviewers, questions and their
 * answers. Hooks of other processes get it by the owner's socket, programs in a mount by a file.
 *
 * In: the review log. Out: feedback, each word once. Nothing here decides what a verdict does.
 */
export { isNews } from './known-texts.js'
export { ownerSocketOf, publishSocket, type SessionState, stateOfSession } from './owner-socket.js'
export { SessionQuestions } from './questions.js'
export { AMENDED, DELIVERED, linesOf, type ReviewerWords, type Undelivered, undeliveredWords } from './undelivered.js'
