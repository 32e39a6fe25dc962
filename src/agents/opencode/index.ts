/** opencode's tool calls, sent by escrow's plugin and judged by a session's rules. */
export { answerOpencode } from './answer.js'
