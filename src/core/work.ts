/** The agent's work in one session according to the ledger, oldest first. */

/** A tool call, a command, or a git commit that commands made. A command that a tool call ran has the id of that call. */
export interface WorkEvent {
  readonly kind: 'call' | 'command' | 'commit'
  /** The tool call's id. */
  readonly callId?: string
  /** The tool's name. */
  readonly tool?: string
  /** The command line. */
  readonly command?: string
  /** The command's exit code, or the reason why escrowfs killed it. */
  readonly end?: number | string
  /** Why the agent made the call, in its own words. */
  readonly reason?: string
  /** The message of the git commit, and the paths it changed. */
  readonly message?: string
  readonly paths?: readonly string[]
  readonly intentId?: string
  /** ISO 8601. */
  readonly at?: string
}
