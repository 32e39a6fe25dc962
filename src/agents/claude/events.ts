import type { ClaudeEventName } from './event-schema.js'

/** The events that `escrow init --claude` registers. */
export const CLAUDE_EVENTS = [
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'SessionStart',
  'UserPromptSubmit',
  'Stop',
  'WorktreeCreate',
] as const satisfies readonly ClaudeEventName[]
