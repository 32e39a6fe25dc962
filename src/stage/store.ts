import { isDeepStrictEqual } from 'node:util'
import {
  type Attribution,
  type Base,
  type CommittedPath,
  codeOf,
  compact,
  fileStampAt,
  type JsonValue,
  type Mark,
  Overlay,
  type RelPath,
  readPacked,
  type StagedChange,
} from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import type { Layout } from '../core/layout.js'
import { type Contents, openContents, type ReviewRecord } from '../review/index.js'
import { type OpenedStage, openStageToRead } from './opened-stage.js'
import { Reconciler } from './reconciler.js'
import { type SnapshotLabel, StageSnapshots } from './snapshots.js'
import { editTime, StageWriter } from './stage-writer.js'

/** Durable notes, in queues by kind. They are entries of the stage's log, so they keep one order with the edits. */
export interface NoteQueue {
  enqueue(kind: string, note: JsonValue): void
  /** Removes the oldest notes of a kind. */
  ack(kind: string, count: number): void
  queued(kind: string): readonly JsonValue[]
}

/**
 * A session's stage in memory: replayed from its log, reconciled with commits and discards, and, for its owner, open
 * for edits.
 */
export interface StageStore extends NoteQueue {
  readonly overlay: Overlay
  /** Reconciles with all commits, discards and amendments since the last call, by any process, in order. */
  settle(reviews: readonly ReviewRecord[]): void
  /** Whether there is a commit, by any process, to reconcile with. Costs one `lstat`. */
  isBehind(): boolean
  /** The content of a path's base, if it was kept. Does not read the disk, which may still have it. */
  base(path: RelPath): Uint8Array | undefined
  /** The contents that reviewers wrote. */
  readonly contents: Contents
  /** Removes changes from the stage. */
  drop(changes: readonly StagedChange[]): void
  /** Sets the agent of the next edits. Returns the number by which those edits refer to it. */
  setAgent(agent: JsonValue): number
  /** Saves the current stage as a snapshot. */
  createSnapshot(label: SnapshotLabel): Mark
  deleteSnapshot(mark: Mark): void
  /** Marks the tool call after a snapshot as ended. */
  endCall(mark: Mark): void
  /**
   * Restores a snapshot. Keeps the current stage as the snapshot `left`. `kept`: paths that commits have changed since.
   */
  travel(to: Mark, reviews: readonly ReviewRecord[]): { readonly left: Mark; readonly kept: readonly RelPath[] }
  /**
   * Makes the log durable on the disk.
   * @throws EscrowError `ledger_unavailable` if another program has removed its files
   */
  sync(): void
  close(): void
}

/** The callbacks of a stage's owner. */
export interface OwnerHooks {
  /** The author of an edit made now. */
  readonly credit: () => Attribution
  /** The base of the first edit of a path, if the owner knows it. */
  readonly knownBase: (path: RelPath) => Base | undefined
  /** Called before a staged file grows, with its new size in bytes. Throw to refuse the write. */
  readonly room?: (path: RelPath, size: number) => void
  /** Called with each path that an edit touched. */
  readonly touched: (path: RelPath) => void
  /** Called with each path that a commit of this session has set, by any process. */
  readonly committed?: (path: CommittedPath) => void
}

/** Opens a stage for reading. Does not write its log. */
export function readStage(layout: Layout, sessionId: string): StageStore {
  const opened = openStageToRead(layout, sessionId)
  return storeOver(opened, new Overlay({ lower: opened.lower, stage: opened.stage }))
}

/** As {@link readStage}, for a caller that reads often: replays the log only after it changed. */
export function stageReader(layout: Layout, sessionId: string): () => StageStore {
  const { stageLog } = layout.session(sessionId)
  let last: { readonly store: StageStore; readonly stamp: string | undefined } | undefined
  return () => {
    // Taken before the log is read, so that the next call notices entries that are appended meanwhile.
    const stamp = fileStampAt(stageLog)
    if (last === undefined || last.stamp !== stamp) last = { stamp, store: readStage(layout, sessionId) }
    return last.store
  }
}

/** The store of a stage's owner, over a stage opened by `openStage`. */
export function ownStage(opened: OpenedStage, hooks: OwnerHooks): StageStore {
  const { stage, lower, files, found, log } = opened
  const { credit, knownBase, room } = hooks
  const overlay = new Overlay({
    lower,
    stage,
    credit,
    knownBase,
    ...(room && { room }),
    ...(log && { keep: (content: Uint8Array) => log.store(content), keepInParts: log.keepInParts.bind(log) }),
    log(edit, data) {
      const packed = log?.append(edit, data)
      if ('path' in edit) hooks.touched(edit.path)
      if ('from' in edit) hooks.touched(edit.to)
      return packed
    },
  })
  const store = storeOver(opened, overlay, hooks)
  return {
    ...store,
    close() {
      store.close()
      if (found) compact(files, stage, found)
    },
  }
}

function storeOver(
  { layout, sessionId, stage, log, found }: OpenedStage,
  overlay: Overlay,
  hooks?: Pick<OwnerHooks, 'committed' | 'credit'>,
): StageStore {
  const contents = openContents(layout.session(sessionId).edits)
  const writer = new StageWriter(overlay, log)
  const { credit, committed } = hooks ?? {}
  const reconciler = new Reconciler({ layout, sessionId, writer, contents, credit, committed })
  const snapshots = new StageSnapshots(layout, sessionId, writer, reconciler)
  return {
    overlay,
    contents,
    settle: (reviews) => reconciler.settle(reviews),
    isBehind: () => reconciler.isBehind(),
    drop: (changes) => reconciler.drop(changes),
    createSnapshot: (label) => snapshots.create(label),
    deleteSnapshot: (mark) => snapshots.delete(mark),
    endCall: (mark) => snapshots.endCall(mark),
    travel: (to, reviews) => snapshots.travel(to, reviews),
    base: (path) => keptBase(stage.bases.get(path), found?.pack, contents),
    setAgent(agent) {
      if (!isDeepStrictEqual(stage.agents.at(-1), agent)) writer.apply({ op: 'agent', t: editTime(), name: agent })
      return stage.agents.length - 1
    },
    enqueue: (kind, note) => writer.apply({ op: 'note', t: editTime(), kind, note }),
    ack: (kind, count) => writer.apply({ op: 'noted', t: editTime(), kind, count }),
    queued: (kind) => stage.notes.get(kind) ?? [],
    sync: () => orExplain(() => log?.sync()),
    close: () => orExplain(() => log?.close()),
  }
}

/** @throws EscrowError `ledger_unavailable` for an error of the log's own; one of the system as it is */
function orExplain(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (codeOf(error) !== undefined) throw error
    throw new EscrowError('ledger_unavailable', errorText(error), { cause: error })
  }
}

/** A base's content, from the pack, or else from the contents that reviewers wrote. */
function keptBase(base: Base | undefined, pack: string | undefined, contents: Contents): Uint8Array | undefined {
  if (base?.state?.type !== 'file') return undefined
  const { digest: key } = base.state
  const { kept } = base
  return firstOf([() => (kept && pack ? readPacked(pack, key, kept) : undefined), () => contents.read(key)])
}

/** Returns the first content that can be read. */
function firstOf(sources: readonly (() => Uint8Array | undefined)[]): Uint8Array | undefined {
  for (const source of sources) {
    try {
      const content = source()
      if (content !== undefined) return content
    } catch {}
  }
  return undefined
}
