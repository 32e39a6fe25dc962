import type { Digest } from '../../overlay/index.js'
import type { ChangeSet, ChangesOptions, Selection } from '../core/api.js'
import { SerialQueue } from '../core/serial-queue.js'
import { amendmentState } from './amend.js'
import type { BaseDiffs } from './base-diffs.js'
import { toChangeSetInSlices } from './change-set.js'
import type { DiffMemory } from './diff-memory.js'
import { type DisplayedChange, displayedOf } from './displayed-change.js'
import { type CommitSlice, refOf } from './judge.js'
import type { ReviewLog } from './log.js'
import { keyOf } from './record.js'
import type { ReviewStage } from './review-stage.js'
import { namesHunks } from './selection.js'
import { splitsIn } from './split-hunk.js'
import { verdictState } from './verdicts.js'

/** Displayed changes, and the versions that verdicts on them are bound to. */
export interface DecidableChanges {
  readonly set: ChangeSet
  readonly displayed: DisplayedChange[]
}

/**
 * The changes that the reviewer saw last. A verdict applies to these, and to nothing staged since. Before the first
 * {@link show}, selections are made from the current stage.
 */
export class DisplayedStage {
  readonly #queue = new SerialQueue()
  #displayed: DisplayedChange[] | undefined
  #options: ChangesOptions = {}

  constructor(
    private readonly log: Pick<ReviewLog, 'read'>,
    private readonly stage: ReviewStage,
    private readonly diffs: BaseDiffs,
    private readonly memory: DiffMemory,
  ) {}

  async show(options: ChangesOptions = {}): Promise<ChangeSet> {
    return (await this.showDecidable(options)).set
  }

  /** As {@link show}, with the displayed versions: another call may display newer changes meanwhile. */
  async showDecidable(options: ChangesOptions): Promise<DecidableChanges> {
    this.#options = options
    const displayed = await this.#render()
    this.#displayed = displayed.displayed
    return displayed
  }

  /** The changes that a selection is made from. */
  async forSelection(selection: Selection | undefined): Promise<readonly DisplayedChange[]> {
    if (this.#displayed !== undefined) return this.#displayed
    return namesHunks(selection) ? (await this.#render()).displayed : displayedOf(await this.stage.changes())
  }

  /** Displays one path again after its reviewer changed it, provided the stage has the content that they wrote. */
  async refresh(path: string, content: Digest): Promise<void> {
    if (this.#displayed === undefined) return
    const now = (await this.#render()).displayed.filter((each) => each.path === path)
    if (now.some(({ after }) => after?.digest !== content)) return
    this.#displayed = this.#displayed.flatMap((each) => (each.path === path ? now.splice(0) : [each]))
  }

  remove(paths: ReadonlySet<string>): void {
    this.#displayed = this.#displayed?.filter(({ path }) => !paths.has(path))
  }

  /** Removes committed changes. The rest of a file that was committed in part stays. */
  afterCommit(slices: readonly CommitSlice[], committed: ReadonlySet<string>): void {
    const parts = new Map(slices.flatMap((slice) => (slice.part ? [[keyOf(slice.of), slice] as const] : [])))
    this.#displayed = this.#displayed?.flatMap((each) => {
      const slice = parts.get(keyOf(each))
      if (slice?.part === undefined) return committed.has(each.path) ? [] : [each]
      const { from, ...rest } = each
      return [{ ...rest, before: slice.change.after, hunks: slice.part.left.map(refOf) }]
    })
  }

  /** One rendering at a time, because all of them use the stage's last reading. */
  #render(): Promise<DecidableChanges> {
    const options = this.#options
    return this.#queue.run(() => this.#renderNow(options))
  }

  async #renderNow(options: ChangesOptions): Promise<DecidableChanges> {
    this.memory.startView()
    const staged = await this.stage.changes()
    const records = this.log.read()
    const mutations = await this.stage.mutations(staged, options.classes)
    const risks = options.risk ? await this.stage.risks(staged, mutations) : undefined
    const set = await toChangeSetInSlices(staged, {
      diffs: this.diffs.withSplits(splitsIn(records)),
      verdicts: verdictState(records),
      amendments: amendmentState(records),
      flags: (change) => this.stage.flags(change),
      mutation: (change) => mutations.get(change),
      risk: (change) => risks?.get(change),
    })
    this.stage.measureRest()
    return { set, displayed: displayedOf(staged, set.changes) }
  }
}
