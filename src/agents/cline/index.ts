/** Cline's hooks, judged by a session's rules. */
export { answerCline, type ClineAnswer, clineFailure } from './answer.js'
