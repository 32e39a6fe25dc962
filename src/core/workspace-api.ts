import type { Approver } from './question.js'

/** The staged work goes back, on a crash, to: its last call (process), its last tool call's end (power), nothing. */
export type Durability = 'power' | 'process' | 'memory'

/** How a workspace is opened. */
export interface WorkspaceOptions {
  readonly durability?: Durability
  /**
   * Bytes of staged content a session holds in memory (256 MiB unless told). More is left to the session's files; with
   * durability `memory` a write beyond it is refused (limit_exceeded).
   */
  readonly memory?: number
  /** Asked about each question of the sessions opened here. People can answer as well, in any process. */
  readonly approver?: Approver
}

/** Where something moved. */
export interface WorkspaceNews {
  /** The ids of those with another stage, verdict, question, owner or agent; those that came or went among them. */
  readonly sessions: readonly string[]
  /** Records or commits. */
  readonly ledger: boolean
  readonly intents: boolean
  readonly policy: boolean
}
