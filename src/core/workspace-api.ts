import type { Approver } from './question.js'

/**
 * The durability of staged work. `process`: a crash of the process loses nothing. `power`: a power cut loses at most the current
 * tool call. `memory`: the end of the process loses everything.
 */
export type Durability = 'power' | 'process' | 'memory'

/** Options of `openWorkspace`. */
export interface WorkspaceOptions {
  /** Default: `process`. */
  readonly durability?: Durability | undefined
  /**
   * The limit in bytes of staged content that a session keeps in memory; default 256 MiB. Content beyond it is kept in the session's
   * files. With durability `memory`, a write beyond it is refused (`limit_exceeded`).
   */
  readonly memory?: number | undefined
  /** Called with each question of the sessions that this workspace object opens. People can also answer, in any process. */
  readonly approver?: Approver | undefined
}

/** The changed areas of a workspace. */
export interface WorkspaceNews {
  /** Ids of sessions that were created or removed, or whose stage, verdicts, questions, owner or agent changed. */
  readonly sessions: readonly string[]
  /** Whether there are new records or commits. */
  readonly ledger: boolean
  readonly intents: boolean
  readonly policy: boolean
  /** Classes of staged changes became known. See `ChangesOptions`. */
  readonly classes: boolean
}
