/** The agent's work in one session according to the ledger, oldest first. */

/** A tool call or a command. A command that a tool call ran has the id of that call. */
export interface WorkEvent {
  readonly kind: 'call' | 'command'
  /** The tool call's id. */
  readonly callId?: string
  /** The tool's name. */
  readonly tool?: string
  /** The command line. */
  readonly command?: string
  /** The command's exit code, or why escrowfs killed it. */
  readonly end?: number | string
  /** Why the agent made the call, in its own words. */
  readonly reason?: string
  readonly intentId?: string
  /** ISO 8601. */
  readonly at?: string
}
