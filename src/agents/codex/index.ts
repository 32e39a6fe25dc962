/** Codex's hooks, judged by a session's rules. */
export { answerCodex } from './answer.js'
