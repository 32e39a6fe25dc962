import type { Answer, Approver, Durability } from '../core/api.js'
import type { Layout } from '../core/layout.js'
import type { AgentInfo } from '../core/people.js'
import type { IntentVersions } from '../history/index.js'
import type { Lease } from '../host/owner.js'
import type { RegistryStore } from '../intents/index.js'
import type { PolicyState } from '../policy/index.js'
import type { ReviewLog } from '../review/index.js'
import type { LedgerStore } from '../trace/index.js'

/** What a session is made of; the workspace gives it. */
export interface SessionDeps {
  readonly id: string
  readonly agent: AgentInfo | undefined
  /** Keeps what is known of the agent now, for other processes. */
  readonly keepAgent: (agent: AgentInfo) => void
  readonly layout: Layout
  /** Other spellings of the root. */
  readonly aliases: readonly string[]
  /** The disk takes names that differ in case alone for one. */
  readonly foldsNames: boolean
  readonly durability: Durability
  /** Bytes of staged content to hold in memory. */
  readonly memory: number
  readonly registry: RegistryStore
  readonly versions: IntentVersions
  readonly policyFile: () => PolicyState
  readonly ledger: LedgerStore
  readonly reviews: ReviewLog
  readonly lease: Lease | undefined
  readonly approver: Approver | undefined
  /** Records an answer of the approver's. */
  readonly answer: (questionId: string, answer: Answer) => Promise<void>
  readonly closed: () => void
}
