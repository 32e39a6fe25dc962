import { lostDirectories, type Mark, planTravel, type RelPath, type Stage } from '../../overlay/index.js'
import type { Layout } from '../core/layout.js'
import type { ReviewRecord } from '../review/index.js'
import { changesOf, discardsOf, firstNotIngested, sessionCommitsAfter } from './committed-changes.js'
import type { Reconciler } from './reconciler.js'
import { editTime, type StageWriter } from './stage-writer.js'

/** The optional labels of a new snapshot. */
export interface SnapshotLabel {
  readonly name?: string
  /** The tool call that follows it. */
  readonly before?: string
  readonly tool?: string
}

/** The snapshots of a stage: creates, deletes and restores them. */
export class StageSnapshots {
  constructor(
    private readonly layout: Layout,
    private readonly sessionId: string,
    private readonly writer: StageWriter,
    private readonly reconciler: Reconciler,
  ) {}

  create(label: SnapshotLabel): Mark {
    const { snapshots } = this.#stage
    const id = `s${snapshots.made + 1}`
    this.writer.apply({ op: 'mark', t: editTime(), id, ...label })
    const snapshot = snapshots.get(id)
    if (!snapshot) throw new Error(`The snapshot ${id} was not taken.`)
    return snapshot
  }

  delete({ id }: Mark): void {
    this.writer.apply({ op: 'unmark', t: editTime(), id })
  }

  endCall({ id }: Mark): void {
    this.writer.apply({ op: 'called', t: editTime(), id })
  }

  travel(to: Mark, reviews: readonly ReviewRecord[]): { readonly left: Mark; readonly kept: readonly RelPath[] } {
    const { overlay } = this.writer
    const stage = this.#stage
    const left = stage.snapshots.changed || !stage.snapshots.at ? this.create({}) : stage.snapshots.at
    const { settledSeq } = to.version
    const commits = settledSeq < stage.settledSeq ? sessionCommitsAfter(this.layout, this.sessionId, settledSeq) : []
    const since = reviews.slice(firstNotIngested(to.version, reviews), stage.reviewed)
    const { less, kept } = planTravel(overlay, to.version, {
      isCommitted: commits.length > 0,
      committed: changesOf(commits),
      discarded: since.flatMap(discardsOf),
    })
    this.writer.apply({ op: 'travel', t: editTime(), to: to.id, less })
    // A file that was staged in a directory which a commit has removed since needs that directory again.
    if (commits.length > 0) for (const path of lostDirectories(overlay)) overlay.mkdir(path, 0o755)
    // Amendments of reviewers stay: only the agent's edits, and merges by reading, go back.
    const { reviewed, reviewId } = stage
    for (const record of since) {
      if (record.kind === 'amend' && record.reading !== true) this.reconciler.amend(record, { reviewed, reviewId })
    }
    return { left, kept }
  }

  get #stage(): Stage {
    return this.writer.overlay.stage
  }
}
