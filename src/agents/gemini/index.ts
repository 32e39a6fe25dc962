/** Gemini CLI's hooks, judged by a session's rules. */
export { answerGemini } from './answer.js'
