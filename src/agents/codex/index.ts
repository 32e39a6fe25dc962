/** Codex's hooks, judged by a session's rules. */
export { answerCodex, type CodexAnswer } from './answer.js'
