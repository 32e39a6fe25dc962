import { diffStage, entryStamp, type StageDiff, type StagedChange } from '../../overlay/index.js'
import { settledLook } from '../commit/index.js'
import type { ChangesOptions, Snapshot } from '../core/api.js'
import type { Mutation } from '../core/mutation.js'
import type { Risk } from '../core/risk-api.js'
import { type Contents, QUESTION, type ReviewStage } from '../review/index.js'
import {
  beforeOf,
  classCache,
  createMutations,
  createRisks,
  diskNow,
  findingsCache,
  flagsOf,
  measureApproved,
  type StageStore,
  snapshotsOf,
} from '../stage/index.js'
import type { CommittedApprovals } from './consume-approvals.js'
import type { ReviewedSession } from './reviewed-session.js'

/** A session's stage as a review reads it. Other methods use the stage that {@link changes} read last. */
export class ReviewedStage implements ReviewStage {
  readonly #classes
  readonly #mutations
  readonly #risks
  #store: StageStore
  #diff: StageDiff | undefined
  /** The changes of the last reading: the stats of {@link #diff} are valid for these alone. */
  #listed: WeakSet<StagedChange> = new WeakSet()
  /** The changes of the last reading by path, and the number of edits that the stage had. */
  #read: { readonly edits: number; readonly byPath: ReadonlyMap<string, StagedChange> } | undefined

  /** @param store the stage as it is now */
  constructor(
    private readonly session: ReviewedSession,
    private readonly approvals: CommittedApprovals,
    store: StageStore,
  ) {
    this.#classes = classCache(session.layout)
    this.#mutations = createMutations(this.#classes)
    this.#risks = createRisks(findingsCache(session.layout))
    this.#store = store
  }

  async changes(): Promise<StagedChange[]> {
    this.#store = await this.#settled()
    const { edits } = this.#store.overlay.stage
    this.#diff = diffStage(this.#store.overlay)
    const { changes } = this.#diff
    this.#listed = new WeakSet(changes)
    // The first of two changes of one path.
    this.#read = { edits, byPath: new Map(changes.map((change) => [change.path, change] as const).reverse()) }
    return changes
  }

  async changeAt(path: string): Promise<StagedChange | undefined> {
    const store = await this.#settled()
    const isSame = store === this.#store && this.#read?.edits === store.overlay.stage.edits
    const known = isSame ? this.#read?.byPath.get(path) : undefined
    if (known !== undefined && (this.isUnchanged(known) || this.#isNewStill(known))) return known
    return (await this.changes()).find((each) => each.path === path)
  }

  async #settled(): Promise<StageStore> {
    const store = await this.session.stage()
    await this.approvals.consume()
    return store
  }

  /** Whether there is no file on disk, as in the last reading. */
  #isNewStill({ path, from = path }: StagedChange): boolean {
    return (
      this.#diff !== undefined &&
      this.#diff.look(from) === undefined &&
      this.#store.overlay.lower.lstatBig(from) === undefined
    )
  }

  /** Returns the last reading for one commit, and forgets it: its file stats are valid for that commit only. */
  takeReading(): { readonly store: StageStore; readonly diff: StageDiff } {
    const reading = { store: this.#store, diff: this.#diff ?? diffStage(this.#store.overlay) }
    this.#diff = undefined
    return reading
  }

  /** Classifies approved changes now, so that their commit parses nothing. */
  async measure(paths: readonly string[]): Promise<void> {
    const wanted = new Set(paths)
    const { changes } = this.#diff ?? diffStage(this.#store.overlay)
    await measureApproved(
      this.#classes,
      this.#store,
      changes.filter(({ path }) => wanted.has(path)),
    )
  }

  flags(change: StagedChange): string[] {
    return flagsOf(this.session.policy, this.#store, change)
  }

  mutations(
    staged: readonly StagedChange[],
    classes: ChangesOptions['classes'],
  ): Promise<ReadonlyMap<StagedChange, Mutation>> {
    return this.#mutations.of(this.#store, staged, classes)
  }

  measureRest(): void {
    this.#mutations.measureRest()
  }

  risks(
    staged: readonly StagedChange[],
    mutations: ReadonlyMap<StagedChange, Mutation>,
  ): Promise<ReadonlyMap<StagedChange, Risk>> {
    return this.#risks(this.#store, staged, mutations)
  }

  before(change: StagedChange): Uint8Array | null {
    return beforeOf(this.#store, change)
  }

  isUnchanged(change: StagedChange): boolean {
    if (!this.#listed.has(change)) return false
    const { path, from = path } = change
    const stats = settledLook(this.#diff?.look(from))
    return stats !== undefined && entryStamp(this.#store.overlay.lower.lstatBig(from)) === entryStamp(stats)
  }

  disk(change: StagedChange): ReturnType<typeof diskNow> {
    return diskNow(this.#store, change)
  }

  contents(): Contents {
    return this.#store.contents
  }

  settledSeq(): number {
    return this.#store.overlay.stage.settledSeq
  }

  async snapshots(): Promise<Snapshot[]> {
    return snapshotsOf(await this.session.stage())
  }

  async questionNotes(): Promise<readonly unknown[]> {
    return (await this.session.stage()).queued(QUESTION)
  }
}
