// Long because: one object is the stage, its snapshots and its notes over one log.

import { isDeepStrictEqual } from 'node:util'
import {
  type Attribution,
  asRelPath,
  type Base,
  type CommittedPath,
  compact,
  diffStage,
  dropRedundant,
  type JsonValue,
  lostDirectories,
  type Mark,
  Overlay,
  openLower,
  openStageLog,
  pathsOf,
  planTravel,
  type ReconcilePlan,
  type RelPath,
  type Replay,
  ROOT,
  readPacked,
  reconcileCommitted,
  reconcileDiscarded,
  replay,
  revertPaths,
  Stage,
  type StagedChange,
  type StageEdit,
  type StageFiles,
  type StageLog,
} from '../../overlay/index.js'
import type { Durability } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import type { Layout } from '../core/layout.js'
import { type AmendRecord, type Contents, openContents, type ReviewRecord, stampOf } from '../review/index.js'
import { amendmentEdit, directoriesFor } from './amend.js'
import {
  changesOf,
  discardsOf,
  firstNotIngested,
  type Ingested,
  isBehind,
  sessionCommitsAfter,
  sessionCommitsSince,
} from './committed-changes.js'

/**
 * A session's stage as a process holds it: replayed from its log, brought up to date with what was committed and
 * discarded, and, for its owner, appended to.
 */
export interface StageStore {
  readonly overlay: Overlay
  /** Takes in what was committed, discarded and amended since, by any process, in the order it was done. */
  settle(reviews: readonly ReviewRecord[]): void
  /** Whether a commit, by any process, has not been taken in yet. Costs one `lstat`. */
  isBehind(): boolean
  /** What a path's base held, as far as it was kept. The disk may still hold it: that is not looked at. */
  base(path: RelPath): Uint8Array | undefined
  /** What reviewers wrote. */
  readonly contents: Contents
  /** Takes changes out of the stage. */
  drop(changes: readonly StagedChange[]): void
  /** Remembers something beyond a crash; {@link ack} forgets the oldest of its kind. */
  enqueue(kind: string, note: JsonValue): void
  ack(kind: string, count: number): void
  queued(kind: string): readonly JsonValue[]
  /** From now on this agent works on it. Answers the number its edits are credited by. */
  workedOnBy(agent: JsonValue): number
  /** Keeps the stage as it is now as a snapshot. */
  createSnapshot(mark: { readonly name?: string; readonly before?: string; readonly tool?: string }): Mark
  /** Keeps a snapshot no more. */
  deleteSnapshot(mark: Mark): void
  /** The tool call a snapshot was made before has ended. */
  endCall(mark: Mark): void
  /** Goes back to a snapshot. The stage as it was is a snapshot too: `left`. `kept`: paths that commits changed since. */
  travel(to: Mark, reviews: readonly ReviewRecord[]): { readonly left: Mark; readonly kept: readonly RelPath[] }
  /** Waits until the log is on the medium. */
  sync(): void
  close(): void
}

/** Bytes of staged content a session holds in memory unless told otherwise. */
export const MEMORY = 256 << 20

export interface OwnerOptions {
  readonly durability: Durability
  /** Bytes of staged content to hold in memory ({@link MEMORY} unless told); more is left to the pack. */
  readonly memory?: number
  readonly credit: () => Attribution
  readonly knownBase: (path: RelPath) => Base | undefined
  /** Told how many bytes a staged file is going to have; a throw keeps it from it. */
  readonly room?: (path: RelPath, size: number) => void
  /** Told of each path an edit touched. */
  readonly touched: (path: RelPath) => void
  /** Told of each path a commit of this session has set, whoever in this process came upon it. */
  readonly landed?: (landed: CommittedPath) => void
}

/** Opens a stage for reading: its log is never written. */
export function readStage(layout: Layout, sessionId: string): StageStore {
  const stage = new Stage()
  const { pack } = replayOrExplain(stage, filesOf(layout, sessionId), false)
  return storeOf(layout, sessionId, new Overlay({ lower: openLower(layout.root), stage }), { pack })
}

/** As {@link readStage}, for who looks again and again: the log is replayed anew only where it has changed. */
export function stageReader(layout: Layout, sessionId: string): () => StageStore {
  const { stageLog } = layout.session(sessionId)
  let last: { readonly store: StageStore; readonly stamp: string } | undefined
  return () => {
    // Before the log is read: what is appended meanwhile is seen by the next look.
    const stamp = stampOf(stageLog)
    if (last?.stamp !== stamp) last = { stamp, store: readStage(layout, sessionId) }
    return last.store
  }
}

/** Opens a stage for its owner. The session's directory must exist, unless nothing is to be kept. */
export function ownStage(layout: Layout, sessionId: string, options: OwnerOptions): StageStore {
  const stage = new Stage()
  const files = filesOf(layout, sessionId)
  const found = options.durability === 'memory' ? undefined : replayOrExplain(stage, files, true)
  const log = found && openStageLog(files, found, options.durability === 'power')
  const { credit, knownBase, room } = options
  const overlay = new Overlay({
    lower: openLower(layout.root),
    stage,
    credit,
    knownBase,
    ...(room && { room }),
    ...(log && { keep: (content: Uint8Array) => log.store(content), keepInParts: log.keepInParts.bind(log) }),
    log(edit, data) {
      const packed = log?.append(edit, data)
      if ('path' in edit) options.touched(edit.path)
      if ('from' in edit) options.touched(edit.to)
      return packed
    },
  })
  if (log) stage.upper.spillAbove(options.memory ?? MEMORY, (bytes) => log.keep(bytes))
  const store = storeOf(layout, sessionId, overlay, { log, pack: found?.pack }, options)
  return {
    ...store,
    close() {
      store.close()
      if (found) compact(files, stage, found)
    },
  }
}

function filesOf(layout: Layout, sessionId: string): StageFiles {
  const { stageLog, pack } = layout.session(sessionId)
  return { log: stageLog, pack }
}

function replayOrExplain(stage: Stage, files: StageFiles, isOwner: boolean): Replay {
  try {
    return replay(files, stage, isOwner)
  } catch (error) {
    throw new EscrowError('ledger_unavailable', errorText(error), {
      cause: error,
    })
  }
}

function storeOf(
  layout: Layout,
  id: string,
  overlay: Overlay,
  { log, pack }: { readonly log?: StageLog | undefined; readonly pack: string | undefined },
  owner?: Pick<OwnerOptions, 'landed' | 'credit'>,
): StageStore {
  const { stage } = overlay
  const contents = openContents(layout.session(id).edits)
  const apply = (edit: StageEdit, data?: Uint8Array) => {
    const packed = log?.append(edit, data)
    overlay.apply(edit, data, packed)
  }
  const settleBy = (settlement: ReconcilePlan, seq = stage.settledSeq, { reviewed, reviewId }: Ingested = stage) => {
    const { drop, point, hide, forget } = settlement
    const bases = settlement.bases.map(([path, base]) => [path, overlay.withContent(path, base)] as const)
    const news = drop.length + point.length + hide.length + forget.length + bases.length
    if (news === 0 && seq === stage.settledSeq && reviewed === stage.reviewed) return
    const landed = seq !== stage.settledSeq
    const until = { seq, reviewed, ...(reviewId !== undefined && { reviewId }) }
    // Who works in the session removed what landed and is not there any more.
    const credit = hide.length > 0 ? owner?.credit() : undefined
    apply({ op: 'settle', t: now(), ...credit, drop, point, hide, forget, bases, ...until })
    // A commit may have been of directories alone, which only tidying takes out.
    if (drop.length + point.length === 0 && !landed) return
    const rest = dropRedundant(overlay)
    if (rest.drop.length + rest.point.length > 0) apply({ op: 'settle', t: now(), ...rest, ...until })
  }
  const takeIn = (record: ReviewRecord, reviewed: number) => {
    const taken = { reviewed, reviewId: record.id }
    if (record.kind === 'discard') settleBy(reconcileDiscarded(overlay, discardsOf(record)), stage.settledSeq, taken)
    if (record.kind === 'amend') amend(record, taken)
  }
  const amend = (record: AmendRecord, taken: Ingested) => {
    for (const path of directoriesFor(overlay, record)) overlay.mkdir(path, 0o755)
    const { edit, content } = amendmentEdit(overlay, record, contents, { taken, at: now() })
    apply(edit, content)
  }
  const createSnapshot: StageStore['createSnapshot'] = (told) => {
    const { snapshots } = stage
    const id = `s${snapshots.made + 1}`
    apply({ op: 'mark', t: now(), id, ...told })
    const made = snapshots.get(id)
    if (!made) throw new Error(`The snapshot ${id} was not made.`)
    return made
  }
  return {
    overlay,
    contents,
    workedOnBy(agent) {
      if (!isDeepStrictEqual(stage.agents.at(-1), agent)) apply({ op: 'agent', t: now(), name: agent })
      return stage.agents.length - 1
    },
    createSnapshot,
    deleteSnapshot: ({ id }) => apply({ op: 'unmark', t: now(), id }),
    endCall: ({ id }) => apply({ op: 'called', t: now(), id }),
    travel(to, reviews) {
      const left = stage.snapshots.changed || !stage.snapshots.at ? createSnapshot({}) : stage.snapshots.at
      const { settledSeq } = to.version
      const commits = settledSeq < stage.settledSeq ? sessionCommitsAfter(layout, id, settledSeq) : []
      const since = reviews.slice(firstNotIngested(to.version, reviews), stage.reviewed)
      const { less, kept } = planTravel(overlay, to.version, {
        isCommitted: commits.length > 0,
        landed: changesOf(commits),
        discarded: since.flatMap(discardsOf),
      })
      apply({ op: 'travel', t: now(), to: to.id, less })
      // What was staged in a directory that a commit has removed since needs one to stand in.
      if (commits.length > 0) for (const path of lostDirectories(overlay)) overlay.mkdir(path, 0o755)
      // What reviewers wrote since then is theirs: it does not go back with what the agent wrote, or merged by reading.
      const { reviewed, reviewId } = stage
      for (const record of since) {
        if (record.kind === 'amend' && record.reading !== true) amend(record, { reviewed, reviewId })
      }
      return { left, kept }
    },
    settle(reviews) {
      const commits = sessionCommitsSince(layout, id, stage)
      const land = (until: number) => {
        const landed = commits.splice(0, commits.findLastIndex(({ seq }) => seq <= until) + 1)
        if (landed.length === 0) return
        const changes = changesOf(landed)
        const removed = landed.flatMap(({ removedDirs }) => removedDirs)
        settleBy(reconcileCommitted(overlay, changes, removed), landed.at(-1)?.seq)
        for (const each of changes) if (each.own) owner?.landed?.(each)
      }
      const from = firstNotIngested(stage, reviews)
      reviews.slice(from).forEach((record, index) => {
        if (record.kind === 'discard' || record.kind === 'amend') land(record.seq ?? Number.POSITIVE_INFINITY)
        takeIn(record, from + index + 1)
      })
      land(Number.POSITIVE_INFINITY)
      settleBy(NOTHING, stage.settledSeq, { reviewed: reviews.length, reviewId: reviews.at(-1)?.id })
    },
    isBehind: () => isBehind(layout, stage),
    base(path) {
      const base = stage.bases.get(path)
      if (base?.state?.type !== 'file') return undefined
      const { digest: key } = base.state
      const { kept } = base
      return firstOf([() => (kept && pack ? readPacked(pack, key, kept) : undefined), () => contents.read(key)])
    },
    drop(changes) {
      const staged = diffStage(overlay).changes
      // What went and what came in its place are two changes of one path: they go together.
      const paths = new Set(changes.map(({ path }) => path))
      const gone = staged.filter(({ path }) => paths.has(path))
      const names = gone.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))
      const settlement = gone.length === staged.length ? dropAll(stage) : revertPaths(overlay, new Set(names))
      settleBy(settlement)
    },
    enqueue: (kind, note) => apply({ op: 'note', t: now(), kind, note }),
    ack: (kind, count) => apply({ op: 'noted', t: now(), kind, count }),
    queued: (kind) => stage.notes.get(kind) ?? [],
    sync: () => log?.sync(),
    close: () => log?.close(),
  }
}

const now = () => String(BigInt(Date.now()) * 1_000_000n)
const NOTHING: ReconcilePlan = { drop: [], point: [], hide: [], forget: [], bases: [] }

/** The first of these contents that can be had. */
function firstOf(sources: readonly (() => Uint8Array | undefined)[]): Uint8Array | undefined {
  for (const source of sources) {
    try {
      const content = source()
      if (content !== undefined) return content
    } catch {}
  }
  return undefined
}

/** All of the stage: bases too, also those of names that went with their directory. */
function dropAll({ tree, bases }: Stage): ReconcilePlan {
  const forget = [...bases.keys()].map(asRelPath)
  return { drop: pathsOf(tree.root, ROOT), point: [], hide: [], forget, bases: [] }
}
