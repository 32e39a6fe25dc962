/** Claude Code's hooks, judged by a session's rules. */
export type { HookDeps } from '../hook/deps.js'
export { answerClaude, type ClaudeAnswer } from './answer.js'
export { CLAUDE_EVENTS } from './events.js'
export { type ClaudeHookOptions, claudeHookHandler, claudeHookListener } from './http.js'
