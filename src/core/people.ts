/** A person, as git names one. */
export interface Reviewer {
  readonly name: string
  readonly email?: string
}

/** Who works in a session, for the ledger. */
export interface AgentInfo {
  readonly model?: string
  readonly tool?: string
  readonly toolVersion?: string
  /** A URL to look the conversation up. */
  readonly conversation?: string
}
