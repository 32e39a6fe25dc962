import type { Layout } from '../core/layout.js'
import type { AgentInfo } from '../core/people.js'
import type { IntentVersions } from '../history/index.js'
import type { RegistryStore } from '../intents/index.js'
import type { Policy, PolicyState } from '../policy/index.js'
import type { ReviewLog } from '../review/index.js'
import type { LocalSession } from '../session/index.js'
import type { StageStore } from '../stage/index.js'
import type { LedgerStore } from '../trace/index.js'

/** A session as its reviewers work on it. The session itself may be open in this process, in another or in none. */
export interface ReviewedSession {
  readonly layout: Layout
  readonly sessionId: string
  readonly log: ReviewLog
  readonly ledger: LedgerStore
  readonly intents: RegistryStore
  readonly versions: IntentVersions
  readonly policy: Policy
  readonly policyFile: () => PolicyState
  /** The stage now, with every commit and review record ingested. */
  stage(): Promise<StageStore>
  /** Ingests a commit into the session if it is open in this process, so that its next call sees it. */
  ingestCommit(): Promise<void>
  agent(): AgentInfo | undefined
  /** Runs work on the session, and opens the session for it if necessary. Rejects with `session_busy`. */
  withSession<T>(work: (session: LocalSession) => Promise<T>): Promise<T>
}
