/** What the ledger knows of an agent's work in one session, in the order of time. */

/** A tool call, or a command; a command that a tool call ran has that call's id. */
export interface WorkEvent {
  readonly kind: 'call' | 'command'
  /** The tool call's id. */
  readonly callId?: string
  /** The tool's name. */
  readonly tool?: string
  /** The command line. */
  readonly command?: string
  /** Its exit code, or the word for what ended it. */
  readonly end?: number | string
  /** Why the agent made the call, in its own words. */
  readonly reason?: string
  readonly intentId?: string
  /** ISO 8601. */
  readonly at?: string
}
