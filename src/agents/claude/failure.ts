import type { ClaudeAnswer } from './answer.js'
import type { ClaudeEventName } from './events.js'

/**
 * What an event is answered where nobody could judge it and no exit code can say so: whatever can hold something holds it. Only an
 * answer of 2xx with these words does; by its status alone HTTP holds nothing.
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
    // No path: none is made. The others have nothing that could be held.
    case 'WorktreeCreate':
    case 'SessionStart':
    case 'Stop':
      return { systemMessage: reason }
  }
}
