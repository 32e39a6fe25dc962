import type { ClaudeAnswer } from './answer.js'
import type { ClaudeEventName } from './event-schema.js'

/**
 * The answer to an event that could not be judged, for a transport without exit codes: it blocks whatever can be blocked. HTTP
 * blocks nothing by status alone, so it must be sent with a 2xx status.
 */
export function claudeFailure(event: ClaudeEventName, why: string): ClaudeAnswer {
  const reason = `escrow could not check this call, so it is refused: ${why}`
  switch (event) {
    case 'PreToolUse':
      return {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: reason,
        },
      }
    case 'PermissionRequest':
      return {
        hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', message: reason } },
      }
    case 'UserPromptSubmit':
    case 'PostToolUse':
      return { decision: 'block', reason }
    // Without a path no worktree is created. The other events cannot be blocked.
    case 'WorktreeCreate':
    case 'SessionStart':
    case 'Stop':
      return { systemMessage: reason }
  }
}
