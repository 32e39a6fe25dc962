import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Resolver } from '../../overlay/index.js'
import { selectable } from '../core/intents-state.js'
import type { Layout } from '../core/layout.js'
import type { AgentInfo } from '../core/people.js'
import { GuardedLayer, View } from '../fs/index.js'
import { isOwned } from '../host/owner.js'
import { SessionQuestions } from '../inbox/index.js'
import { openRegistry, type RegistryStore } from '../intents/index.js'
import { createPolicy, mayBeProtected, openPolicyFile, type Policy, type PolicyState } from '../policy/index.js'
import { openReviewLog, type ReviewRecord } from '../review/index.js'
import { claimedBy } from '../session/index.js'
import { type StageStore, stageReader } from '../stage/index.js'
import { type LedgerStore, openLedger } from '../trace/index.js'

/** Whose calls are judged. */
export interface JudgeOptions {
  /** The session the calls are of; it need not exist. */
  readonly session: string
  /** The intent they are made for. Without it: what the session's owner has selected, else the registry's active one. */
  readonly intent?: string
  readonly agent?: AgentInfo
}

/** What the judges of a workspace share. None of it is older than the files it is of. */
export interface JudgeSources {
  readonly layout: Layout
  /** The root as it was named. */
  readonly given: string
  readonly registry: RegistryStore
  readonly policyFile: () => PolicyState
  readonly ledger: LedgerStore
}

export function sourcesOf(layout: Layout, given: string): JudgeSources {
  const [registry, policyFile, ledger] = [openRegistry(layout), openPolicyFile(layout), openLedger(layout)]
  return { layout, given, registry, policyFile, ledger }
}

/** A session as another process sees it at one moment. */
export interface JudgedLook {
  /** A living process holds it. */
  readonly isHeld: boolean
  readonly intentId: string | undefined
  readonly store: StageStore
  readonly reviews: readonly ReviewRecord[]
  readonly questions: SessionQuestions
  readonly view: View
}

/** A session that calls are judged in, and that is none of ours: nothing of it is written. */
export class JudgedSession {
  readonly policy: Policy
  readonly #readReviews: () => readonly ReviewRecord[]
  readonly #readStage: () => StageStore
  #look: JudgedLook | undefined
  /** Milliseconds by which reads take policy.yaml for unchanged: none passes within a call, many between two. */
  #clock = 0

  constructor(
    private readonly sources: JudgeSources,
    private readonly options: Pick<JudgeOptions, 'session' | 'intent'>,
  ) {
    const { layout, registry, policyFile } = sources
    const { review } = layout.session(options.session)
    const log = openReviewLog(review, layout.locks)
    this.#readStage = stageReader(layout, options.session)
    this.#readReviews = () => (existsSync(dirname(review)) ? log.read() : [])
    this.policy = createPolicy({
      intents: () => registry.state(),
      activeIntentId: () => this.#look?.intentId,
      policy: policyFile,
      // What the model has read is known to the session's owner alone.
      base: () => 'fresh',
      answers: () => (this.#look ?? this.look()).questions.answers,
      now: () => this.#clock,
    })
  }

  /** All that may have changed since the last call, looked at anew. */
  look(): JudgedLook {
    const { layout, given } = this.sources
    const files = layout.session(this.options.session)
    this.#clock += 1_000
    const isHeld = isOwned(files.owner)
    const intentId = this.options.intent ?? (isHeld ? claimedBy(files.claim) : undefined) ?? this.#activeIntentId()
    const store = this.#readStage()
    const reviews = this.#readReviews()
    const questions = new SessionQuestions({
      // What a judgement uses up is so for that one alone: nothing has run yet.
      notes: { ...store, enqueue: () => undefined },
      state: { intentId },
      approver: undefined,
      answer: async () => undefined,
    })
    questions.update(reviews)
    const view = viewOf(layout, given, store, this.policy)
    this.#look = { isHeld, intentId, store, reviews, questions, view }
    return this.#look
  }

  /** The registry's own, where it can be selected. */
  #activeIntentId(): string | undefined {
    const state = this.sources.registry.state()
    const id = state.ok ? state.activeIntentId : undefined
    return id === undefined || selectable(state, id) ? undefined : id
  }
}

/** The stage as its log has it, over the disk. Nothing is written through it: it only judges. */
function viewOf(layout: Layout, given: string, store: StageStore, policy: Policy): View {
  const { overlay } = store
  const resolver = new Resolver(overlay, [given])
  const rules = {
    decide: policy.decide,
    readsBy: (at: number) => policy.readsBy(at),
    mayHide: (dir: string) => policy.mayHide(dir),
    alikeBelow: (dir: string) => policy.alikeBelow(dir),
    mayBeProtected,
    knownBelow: () => [],
  }
  const nothing = () => undefined
  return new View({
    root: layout.root,
    resolver,
    overlay,
    seen: nothing,
    seenStaged: nothing,
    opened: nothing,
    sync: nothing,
    layer: new GuardedLayer(overlay, rules, (target, link) => resolver.leadsTo(target, link)),
  })
}
