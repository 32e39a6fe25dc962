import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Resolver } from '../../overlay/index.js'
import { selectable } from '../core/intents-state.js'
import type { Layout } from '../core/layout.js'
import type { AgentInfo } from '../core/people.js'
import { GuardedLayer, View } from '../fs/index.js'
import { SessionQuestions } from '../inbox/index.js'
import { openRegistry, type RegistryStore } from '../intents/index.js'
import { isOwned } from '../os/owner.js'
import { createPolicy, mayBeProtected, openPolicyFile, type Policy, type PolicyState } from '../policy/index.js'
import { openReviewLog, type ReviewRecord } from '../review/index.js'
import { claimedIntent } from '../session/index.js'
import { type StageStore, stageReader } from '../stage/index.js'
import { type LedgerStore, openLedger } from '../trace/index.js'

/** The session and agent whose calls are judged. */
export interface JudgeOptions {
  /** The session's id; it need not exist. */
  readonly session: string
  /** The intent of the calls. Default: the one that the session's owner has selected, else the registry's active one. */
  readonly intent?: string
  /** For the ledger's records of denials. */
  readonly agent?: AgentInfo
}

/** The files that the judges of a workspace share. A changed file is read again. */
export interface JudgeSources {
  readonly layout: Layout
  /** The root as the caller named it. */
  readonly requestedRoot: string
  readonly registry: Pick<RegistryStore, 'state'>
  readonly policyFile: () => PolicyState
  readonly ledger: Pick<LedgerStore, 'append'>
}

export function openSources(layout: Layout, requestedRoot: string): JudgeSources {
  const [registry, policyFile, ledger] = [openRegistry(layout), openPolicyFile(layout), openLedger(layout)]
  return { layout, requestedRoot, registry, policyFile, ledger }
}

/** One reading of a session by a process that does not own it. */
export interface SessionReading {
  /** Whether a live process owns it. */
  readonly isHeld: boolean
  readonly intentId: string | undefined
  readonly store: StageStore
  readonly reviews: readonly ReviewRecord[]
  readonly questions: SessionQuestions
  readonly view: View
}

/** A session that is read for judging calls, and never written. */
export class JudgedSession {
  readonly policy: Policy
  readonly #readReviews: () => readonly ReviewRecord[]
  readonly #readStage: () => StageStore
  #reading: SessionReading | undefined
  /** The clock, in milliseconds, of cached decisions about reads. It is constant within a call and jumps between calls. */
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
      activeIntentId: () => this.#reading?.intentId,
      policy: policyFile,
      // Only the session's owner knows what the model has read.
      base: () => 'fresh',
      answers: () => (this.#reading ?? this.read()).questions.answers,
      now: () => this.#clock,
    })
  }

  /** Reads again everything that may have changed since the last call. */
  read(): SessionReading {
    const { layout, requestedRoot } = this.sources
    const files = layout.session(this.options.session)
    this.#clock += 1_000
    const isHeld = isOwned(files.owner)
    const intentId = this.options.intent ?? (isHeld ? claimedIntent(files.claim) : undefined) ?? this.#activeIntentId()
    const store = this.#readStage()
    const reviews = this.#readReviews()
    // A judgement must not use up an answer for the call itself, which runs later: notes are dropped.
    const notes = { ...store, enqueue: () => undefined }
    const questions = new SessionQuestions(notes, { intentId }, undefined, async () => undefined)
    questions.update(reviews)
    const view = viewOf(layout, new Resolver(store.overlay, [requestedRoot]), store, this.policy)
    this.#reading = { isHeld, intentId, store, reviews, questions, view }
    return this.#reading
  }

  /** The registry's active intent, if it can be selected. */
  #activeIntentId(): string | undefined {
    const state = this.sources.registry.state()
    const id = state.ok ? state.activeIntentId : undefined
    return id === undefined || selectable(state, id) ? undefined : id
  }
}

/** The stage, as its log has it, over the disk. Used for judging only; nothing is written through it. */
export function viewOf(layout: Layout, resolver: Resolver, store: StageStore, policy: Policy): View {
  const { overlay } = store
  const rules = {
    decide: policy.decide,
    readsBy: (at: number) => policy.readRevision(at),
    mayHide: (dir: string) => policy.mayHide(dir),
    alikeBelow: (dir: string) => policy.isUniformBelow(dir),
    mayBeProtected,
    knownBelow: () => [],
  }
  const ignore = () => undefined
  return new View({
    root: layout.root,
    resolver,
    overlay,
    seen: ignore,
    seenStaged: ignore,
    opened: ignore,
    sync: ignore,
    layer: new GuardedLayer(overlay, rules, (target, link) => resolver.leadsTo(target, link)),
  })
}
