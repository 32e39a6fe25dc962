import {
  type Attribution,
  asRelPath,
  type CommittedPath,
  diffStage,
  dropRedundant,
  pathsOf,
  type ReconcilePlan,
  ROOT,
  reconcileCommitted,
  reconcileDiscarded,
  revertPaths,
  type Stage,
  type StagedChange,
} from '../../overlay/index.js'
import { defined } from '../core/defined.js'
import type { Layout } from '../core/layout.js'
import type { AmendRecord, Contents, ReviewRecord } from '../review/index.js'
import { amendmentEdit, directoriesFor } from './amend.js'
import {
  changesOf,
  discardsOf,
  firstNotIngested,
  type Ingested,
  isBehind,
  sessionCommitsSince,
} from './committed-changes.js'
import { editTime, type StageWriter } from './stage-writer.js'

export interface ReconcilerDeps {
  readonly layout: Layout
  readonly sessionId: string
  readonly writer: StageWriter
  /** The contents that reviewers wrote. */
  readonly contents: Contents
  /** The author of a removal that a commit has made real. */
  readonly credit?: (() => Attribution) | undefined
  /** Called with each path that a commit of this session has set, by any process. */
  readonly committed?: ((path: CommittedPath) => void) | undefined
}

const NOTHING: ReconcilePlan = { drop: [], point: [], hide: [], forget: [], bases: [] }

/** Reconciles a stage with the commits, discards and amendments of other processes, in the order they were made. */
export class Reconciler {
  constructor(private readonly deps: ReconcilerDeps) {}

  /** Whether there is a commit, by any process, to reconcile with. Costs one `lstat`. */
  isBehind(): boolean {
    return isBehind(this.deps.layout, this.#stage)
  }

  /** Reconciles with all commits, discards and amendments since the last call. */
  settle(reviews: readonly ReviewRecord[]): void {
    const { layout, sessionId } = this.deps
    const commits = sessionCommitsSince(layout, sessionId, this.#stage)
    const commitsUpTo = (seq: number) => commits.splice(0, commits.findLastIndex((each) => each.seq <= seq) + 1)
    const from = firstNotIngested(this.#stage, reviews)
    reviews.slice(from).forEach((record, index) => {
      if (record.kind !== 'discard' && record.kind !== 'amend') return
      this.#takeCommits(commitsUpTo(record.seq ?? Number.POSITIVE_INFINITY))
      this.#takeReview(record, { reviewed: from + index + 1, reviewId: record.id })
    })
    this.#takeCommits(commitsUpTo(Number.POSITIVE_INFINITY))
    this.#write(NOTHING, this.#stage.settledSeq, { reviewed: reviews.length, reviewId: reviews.at(-1)?.id })
  }

  /** Removes changes from the stage. */
  drop(changes: readonly StagedChange[]): void {
    const { overlay } = this.deps.writer
    const staged = diffStage(overlay).changes
    // A removal and the entry that replaced it are two changes of one path, and are removed together.
    const paths = new Set(changes.map(({ path }) => path))
    const gone = staged.filter(({ path }) => paths.has(path))
    const names = gone.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))
    this.#write(gone.length === staged.length ? dropAll(this.#stage) : revertPaths(overlay, new Set(names)))
  }

  /** Stages a reviewer's amendment. */
  amend(record: AmendRecord, taken: Ingested): void {
    const { writer, contents } = this.deps
    for (const path of directoriesFor(writer.overlay, record)) writer.overlay.mkdir(path, 0o755)
    const { edit, content } = amendmentEdit(writer.overlay, record, contents, { taken, at: editTime() })
    writer.apply(edit, content)
  }

  #takeCommits(commits: readonly ReturnType<typeof sessionCommitsSince>[number][]): void {
    const last = commits.at(-1)
    if (!last) return
    const changes = changesOf(commits)
    const removed = commits.flatMap(({ removedDirs }) => removedDirs)
    this.#write(reconcileCommitted(this.deps.writer.overlay, changes, removed), last.seq)
    for (const each of changes) if (each.own) this.deps.committed?.(each)
  }

  #takeReview(record: ReviewRecord, taken: Ingested): void {
    const { overlay } = this.deps.writer
    if (record.kind === 'discard')
      this.#write(reconcileDiscarded(overlay, discardsOf(record)), this.#stage.settledSeq, taken)
    if (record.kind === 'amend') this.amend(record, taken)
  }

  #write(plan: ReconcilePlan, seq = this.#stage.settledSeq, { reviewed, reviewId }: Ingested = this.#stage): void {
    const { writer, credit } = this.deps
    const { drop, point, hide, forget } = plan
    const bases = plan.bases.map(([path, base]) => [path, writer.overlay.withContent(path, base)] as const)
    const count = drop.length + point.length + hide.length + forget.length + bases.length
    const isNewCommit = seq !== this.#stage.settledSeq
    if (count === 0 && !isNewCommit && reviewed === this.#stage.reviewed) return
    const until = { seq, reviewed, ...defined({ reviewId }) }
    // The current agent is recorded as the author of a removal that a commit has written to the disk.
    const author = hide.length > 0 ? credit?.() : undefined
    writer.apply({ op: 'settle', t: editTime(), ...author, drop, point, hide, forget, bases, ...until })
    // A commit of directories alone changes nothing here but redundant nodes.
    if (drop.length + point.length === 0 && !isNewCommit) return
    const rest = dropRedundant(writer.overlay)
    if (rest.drop.length + rest.point.length > 0) writer.apply({ op: 'settle', t: editTime(), ...rest, ...until })
  }

  get #stage(): Stage {
    return this.deps.writer.overlay.stage
  }
}

/** The plan that drops the whole stage, including bases of names that were removed with their directory. */
function dropAll({ tree, bases }: Stage): ReconcilePlan {
  const forget = [...bases.keys()].map(asRelPath)
  return { drop: pathsOf(tree.root, ROOT), point: [], hide: [], forget, bases: [] }
}
