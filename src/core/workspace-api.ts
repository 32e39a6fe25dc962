import type { Approver } from './question.js'

/**
 * What staged work survives. `process`: a crash of the process loses nothing. `power`: a power cut loses at most the current tool
 * call. `memory`: nothing survives.
 */
export type Durability = 'power' | 'process' | 'memory'

/** Options of `openWorkspace`. */
export interface WorkspaceOptions {
  /** Default: `process`. */
  readonly durability?: Durability
  /**
   * Most bytes of staged content that a session holds in memory; default 256 MiB. More is kept in the session's files. With
   * durability `memory` a write beyond it is refused (`limit_exceeded`).
   */
  readonly memory?: number
  /** Gets each question of the sessions opened here. People can answer too, in any process. */
  readonly approver?: Approver
}

/** What a watch saw change. */
export interface WorkspaceNews {
  /** Ids of sessions that were created or removed, or whose stage, verdicts, questions, owner or agent changed. */
  readonly sessions: readonly string[]
  /** There are new records or commits. */
  readonly ledger: boolean
  readonly intents: boolean
  readonly policy: boolean
  /** Classes of staged changes became known. See `ChangesOptions`. */
  readonly classes: boolean
}
