import {
  type Base,
  type Credit,
  childOf,
  diffStage,
  isStagedHere,
  type JsonValue,
  type Landed,
  Overlay,
  openLower,
  openStageLog,
  type RelPath,
  ROOT,
  replay,
  type Settlement,
  Stage,
  type StagedChange,
  type StageEdit,
  type StageFiles,
  type StageLog,
  settleDiscarded,
  settleLanded,
  type TreeNode,
  tidy,
} from '../overlay/index.js'
import { committedSince } from './commit/index.js'
import type { Durability } from './core/api.js'
import { EscrowError, unsupported } from './core/api-error.js'
import type { Layout } from './core/layout.js'
import type { ReviewRecord } from './review/record.js'

/**
 * A session's stage as a process holds it: replayed from its log, brought up to date with what was committed and
 * discarded, and, for its owner, appended to.
 */
export interface StageStore {
  readonly overlay: Overlay
  /** Takes in commits and discards made since, by any process. Answers the paths this session's own commits set. */
  settle(reviews: readonly ReviewRecord[]): Landed[]
  /** Takes changes out of the stage. Throws `unsupported` for a file that came with a renamed or removed directory. */
  drop(changes: readonly StagedChange[]): void
  /** Remembers something beyond a crash; {@link noted} forgets the oldest of its kind. */
  note(kind: string, note: JsonValue): void
  noted(kind: string, count: number): void
  notes(kind: string): readonly JsonValue[]
  /** Waits until the log is on the medium. */
  sync(): void
  close(): void
}

export interface OwnerOptions {
  readonly durability: Durability
  readonly credit: () => Credit
  readonly knownBase: (path: RelPath) => Base | undefined
  /** Told of each path an edit touched. */
  readonly touched: (path: RelPath) => void
}

/** Opens a stage for reading: its log is never written. */
export function readStage(layout: Layout, sessionId: string): StageStore {
  const stage = new Stage()
  replayed(stage, filesOf(layout, sessionId))
  return storeOf(layout, sessionId, new Overlay({ lower: openLower(layout.root), stage }), stage, undefined)
}

/** Opens a stage for its owner. The session's directory must exist, unless nothing is to be kept. */
export function ownStage(layout: Layout, sessionId: string, options: OwnerOptions): StageStore {
  const stage = new Stage()
  const files = filesOf(layout, sessionId)
  const log =
    options.durability === 'memory'
      ? undefined
      : openStageLog(files, replayed(stage, files), options.durability === 'power')
  const { credit, knownBase } = options
  const overlay = new Overlay({
    lower: openLower(layout.root),
    stage,
    credit,
    knownBase,
    log(edit, data) {
      log?.append(edit, data)
      if ('path' in edit) options.touched(edit.path)
      if ('from' in edit) options.touched(edit.to)
    },
  })
  return storeOf(layout, sessionId, overlay, stage, log)
}

function filesOf(layout: Layout, sessionId: string): StageFiles {
  const { stageLog, pack } = layout.session(sessionId)
  return { log: stageLog, pack }
}

function replayed(stage: Stage, files: StageFiles): number {
  try {
    return replay(files, stage).torn
  } catch (error) {
    throw new EscrowError('ledger_unavailable', error instanceof Error ? error.message : String(error), {
      cause: error,
    })
  }
}

function storeOf(layout: Layout, id: string, overlay: Overlay, stage: Stage, log: StageLog | undefined): StageStore {
  const apply = (edit: StageEdit) => {
    log?.append(edit, undefined)
    overlay.apply(edit)
  }
  const now = () => String(BigInt(Date.now()) * 1_000_000n)
  const settleBy = (settlement: Settlement, seq: number, reviewed: number) => {
    const { drop, point, hide, forget, bases } = settlement
    const news = drop.length + point.length + hide.length + forget.length + bases.length
    if (news === 0 && seq === stage.settledSeq && reviewed === stage.reviewed) return
    const landed = seq !== stage.settledSeq
    apply({ op: 'settle', t: now(), drop, point, hide, forget, bases, seq, reviewed })
    // A commit may have been of directories alone, which only tidying takes out.
    if (drop.length + point.length === 0 && !landed) return
    const rest = tidy(overlay)
    if (rest.drop.length + rest.point.length > 0) apply({ op: 'settle', t: now(), ...rest, seq, reviewed })
  }
  return {
    overlay,
    settle(reviews) {
      const { landed, seq } = landedSince(layout, id, stage.settledSeq)
      settleBy(settleLanded(overlay, landed), seq, stage.reviewed)
      const discarded = reviews.slice(stage.reviewed).flatMap((record) => discardsOf(record))
      settleBy(settleDiscarded(overlay, discarded), stage.settledSeq, reviews.length)
      return landed.filter(({ own, after }) => own && after?.type !== 'dir')
    },
    drop(changes) {
      const all = changes.length === diffStage(overlay).changes.length
      const paths = all ? allStaged(stage.tree.root) : changes.flatMap((change) => namesOf(overlay, change))
      settleBy({ ...NOTHING, drop: paths, forget: paths }, stage.settledSeq, stage.reviewed)
    },
    note: (kind, note) => apply({ op: 'note', t: now(), kind, note }),
    noted: (kind, count) => apply({ op: 'noted', t: now(), kind, count }),
    notes: (kind) => stage.notes.get(kind) ?? [],
    sync: () => log?.sync(),
    close: () => log?.close(),
  }
}

const NOTHING: Settlement = { drop: [], point: [], hide: [], forget: [], bases: [] }

function namesOf(overlay: Overlay, change: StagedChange): RelPath[] {
  const names = change.from === undefined ? [change.path] : [change.path, change.from]
  const apart = names.find((name) => !isStagedHere(overlay, name))
  if (apart === undefined) return names
  throw unsupported(`Taking ${apart} out of the stage without the directory it was renamed or removed with`)
}

/** Every node's path, the deepest first. */
function allStaged(node: TreeNode, path: RelPath = ROOT): RelPath[] {
  const below = [...(node.children ?? [])].flatMap(([name, child]) => allStaged(child, childOf(path, name)))
  return path === ROOT ? below : [...below, path]
}

function landedSince(layout: Layout, sessionId: string, since: number): { landed: Landed[]; seq: number } {
  const commits = committedSince(layout, since)
  const landed = commits.flatMap((commit) =>
    commit.changes
      .filter(({ old, new: after }) => old?.type !== 'dir' || after !== null)
      .map(({ path, new: after }) => ({ path: path as RelPath, after, own: commit.sessionId === sessionId })),
  )
  return { landed, seq: commits.at(-1)?.seq ?? since }
}

function discardsOf(record: ReviewRecord) {
  if (record.kind !== 'discard') return []
  return record.entries.map(({ path, from, after }) => ({
    path: path as RelPath,
    ...(from !== undefined && { from: from as RelPath }),
    after,
  }))
}
