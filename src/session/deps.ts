import type { Answer, Approver, Durability, Review } from '../core/api.js'
import type { Layout } from '../core/layout.js'
import type { AgentInfo } from '../core/people.js'
import type { IntentMemories, IntentVersions } from '../history/index.js'
import type { RegistryStore } from '../intents/index.js'
import type { Lease } from '../os/owner.js'
import type { PolicyState } from '../policy/index.js'
import type { ReviewLog } from '../review/index.js'
import type { LedgerStore } from '../trace/index.js'

/** The parts of the workspace that a session is built from. */
export interface SessionDeps {
  readonly id: string
  readonly agent: AgentInfo | undefined
  /** Stores the agent for other processes. */
  readonly saveAgent: (agent: AgentInfo) => void
  readonly layout: Layout
  /** Other spellings of the root. */
  readonly aliases: readonly string[]
  /** The disk ignores case in names. */
  readonly foldsNames: boolean
  readonly durability: Durability
  /** Most bytes of staged content in memory. */
  readonly memory: number
  readonly registry: RegistryStore
  readonly versions: IntentVersions
  readonly memories: IntentMemories
  readonly policyFile: () => PolicyState
  readonly ledger: LedgerStore
  readonly reviews: ReviewLog
  readonly lease: Lease | undefined
  readonly approver: Approver | undefined
  /** Records an answer of the approver. */
  /** Runs the checks of intents on the stage, as a review does. */
  readonly check: Review['check']
  readonly recordAnswer: (questionId: string, answer: Answer) => Promise<void>
  readonly onClose: () => void
}
