/** opencode's calls, told by a plugin of ours and judged by a session's rules. */
export { answerOpencode } from './answer.js'
