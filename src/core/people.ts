/** A person, named as in git. */
export interface Reviewer {
  readonly name: string
  readonly email?: string
}

/** The agent of a session, for the ledger. */
export interface AgentInfo {
  readonly model?: string
  /** The agent's program. */
  readonly tool?: string
  readonly toolVersion?: string
  /** The URL of the conversation. */
  readonly conversation?: string
}
