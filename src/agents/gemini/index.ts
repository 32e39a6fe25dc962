/** Gemini CLI's hooks, judged by a session's rules. */
export { answerGemini, type GeminiAnswer } from './answer.js'
