import {
  isWithin,
  mergedState,
  type Overlay,
  parentOf,
  type RelPath,
  type StageEdit,
  touchedBy,
} from '../../overlay/index.js'
import type { HostEvent } from '../os/watch.js'
import { type DiskScope, DiskWatch } from './disk-watch.js'

/**
 * The changes of the merged view from any source: edits of the stage, and changes of the disk that show through. Each
 * change is reported once. Host events for names that the stage covers are dropped, and so are commits, which make the
 * disk equal to the view. Costs nothing without a subscriber.
 */

export interface Subscriber extends DiskScope {
  onChange(event: HostEvent, path: RelPath): void
  onFailure(error: unknown): void
}

/**
 * Another program's write causes several events (truncated, written, renamed). They are reported as one after this
 * time.
 */
const GATHER_MS = 20

interface Subscription {
  readonly subscriber: Subscriber
  readonly disk: DiskWatch
  /** The number of the last change before the subscription. Later ones are reported. */
  readonly since: number
}

/** A path's stats before an edit. */
interface Snapshot {
  readonly type: string | undefined
  readonly mark: string
}

interface StageNote {
  readonly seq: number
  readonly before: Snapshot
  /** Whether the stage was reconciled or restored: then content is compared, because times differ. */
  readonly settled: boolean
  renamed: boolean
  tree: boolean
}

interface DiskNote {
  readonly seq: number
  readonly lower: RelPath
  event: HostEvent
}

export class ChangeFeed {
  readonly #subscriptions = new Set<Subscription>()
  readonly #byPath = new Map<RelPath, Set<Subscription>>()
  readonly #trees = new Set<Subscription>()
  #staged = new Map<RelPath, StageNote>()
  #onDisk = new Map<RelPath, DiskNote>()
  /** The stamp of each lower name at its last report. */
  readonly #known = new Map<RelPath, string>()
  #clock = 0
  #leaveStage: (() => void) | undefined

  constructor(private readonly overlay: Overlay) {}

  /** Throws the host's errors for its limits on watches. Returns a function that ends the subscription. */
  subscribe(subscriber: Subscriber): () => void {
    const listener = {
      event: (path: RelPath, lower: RelPath, event: HostEvent) => this.#onDiskEvent(path, lower, event),
      onFailure: (error: unknown) => subscriber.onFailure(error),
    }
    const disk = new DiskWatch(this.overlay, subscriber, listener)
    const subscription: Subscription = { subscriber, disk, since: ++this.#clock }
    this.#leaveStage ??= this.overlay.stage.onEdit((edit) => this.#onEdit(edit))
    this.#subscriptions.add(subscription)
    if (subscriber.reach === 'tree') this.#trees.add(subscription)
    const here = this.#byPath.get(subscriber.path) ?? new Set()
    this.#byPath.set(subscriber.path, here.add(subscription))
    return () => this.#leave(subscription)
  }

  #leave(subscription: Subscription): void {
    const { path } = subscription.subscriber
    subscription.disk.close()
    this.#subscriptions.delete(subscription)
    this.#trees.delete(subscription)
    this.#byPath.get(path)?.delete(subscription)
    if (this.#byPath.get(path)?.size === 0) this.#byPath.delete(path)
    if (this.#subscriptions.size > 0) return
    this.#leaveStage?.()
    this.#leaveStage = undefined
    this.#known.clear()
  }

  /** Whether nothing is watched. */
  get idle(): boolean {
    return this.#subscriptions.size === 0
  }

  // ---- the stage

  /** Called before the edit is applied. Records a path's stats now, and compares them at the end of the turn. */
  #onEdit(edit: StageEdit): void {
    for (const { path, renamed, tree } of touchedBy(edit, this.overlay.stage)) {
      if (!this.#concerns(path, tree)) continue
      const note = this.#staged.get(path)
      if (note) {
        note.renamed ||= renamed
        note.tree ||= tree
        continue
      }
      if (this.#staged.size === 0) setImmediate(() => this.#reportStaged())
      const settled = edit.op === 'settle' || edit.op === 'travel'
      this.#staged.set(path, { seq: ++this.#clock, before: this.#look(path, settled), settled, renamed, tree })
    }
  }

  #concerns(path: RelPath, tree: boolean): boolean {
    if (this.#near(path).length > 0) return true
    if (tree) for (const { subscriber } of this.#subscriptions) if (isWithin(subscriber.path, path)) return true
    return false
  }

  #reportStaged(): void {
    const notes = this.#staged
    this.#staged = new Map()
    for (const [path, note] of notes) {
      const event = difference(note.before, this.#look(path, note.settled), note.renamed)
      if (note.tree) for (const { disk } of this.#subscriptions) disk.refresh(path, false)
      else if (event === 'rename') for (const { disk } of this.#near(path)) disk.refresh(path, false)
      const { lower } = this.overlay.shownAt(path)
      if (lower !== undefined && !this.#isCovered(path, lower)) this.#known.set(path, this.#stamp(lower))
      if (event) this.#report(event, path, note.seq)
    }
  }

  #look(path: RelPath, byContent: boolean): Snapshot {
    try {
      if (byContent) {
        const state = mergedState(this.overlay, path)
        return { type: state?.type, mark: `${state?.digest} ${state?.mode}` }
      }
      const stats = this.overlay.lstatBig(path)
      const mark = stats ? `${stats.mtimeNs} ${stats.ctimeNs} ${stats.mode}` : ''
      return { type: this.overlay.typeOf(path), mark }
    } catch {
      return { type: 'unreadable', mark: '' }
    }
  }

  // ---- the disk

  #onDiskEvent(path: RelPath, lower: RelPath, event: HostEvent): void {
    if (this.#isCovered(path, lower)) return
    const note = this.#onDisk.get(path)
    if (note) {
      if (event === 'rename') note.event = event
      return
    }
    if (this.#onDisk.size === 0) setTimeout(() => this.#reportDisk(), GATHER_MS)
    this.#onDisk.set(path, { seq: ++this.#clock, lower, event })
  }

  #reportDisk(): void {
    const notes = this.#onDisk
    this.#onDisk = new Map()
    for (const [path, { seq, lower, event }] of notes) {
      if (this.#isCovered(path, lower)) continue
      const stamp = this.#stamp(lower)
      if (this.#known.get(path) === stamp) continue
      this.#known.set(path, stamp)
      const reported = stamp === ABSENT ? 'rename' : event
      if (reported === 'rename') for (const { disk } of this.#near(path)) disk.refresh(path, true)
      this.#report(reported, path, seq)
    }
  }

  /** Whether the stage covers the path, so that the disk's name does not show. */
  #isCovered(path: RelPath, lower: RelPath): boolean {
    const place = this.overlay.shownAt(path)
    return place.node?.inode !== undefined || place.lower !== lower
  }

  #stamp(lower: RelPath): string {
    try {
      const stats = this.overlay.lower.lstatBig(lower)
      return stats ? `${stats.mode} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.size} ${stats.ino}` : ABSENT
    } catch {
      return 'unreadable'
    }
  }

  // ---- reporting

  /** Each listener runs on its own tick, so that an error in one does not stop the others. */
  #report(event: HostEvent, path: RelPath, seq: number): void {
    for (const { subscriber, since } of this.#near(path)) {
      if (since < seq) process.nextTick(() => subscriber.onChange(event, path))
    }
  }

  /** The subscriptions that a change of a path concerns. */
  #near(path: RelPath): Subscription[] {
    const near = [...(this.#byPath.get(path) ?? [])]
    for (const each of path === '' ? [] : (this.#byPath.get(parentOf(path)) ?? []))
      if (each.subscriber.reach === 'children') near.push(each)
    for (const each of this.#trees)
      if (path !== each.subscriber.path && isWithin(path, each.subscriber.path)) near.push(each)
    return near
  }
}

const ABSENT = 'absent'

function difference(before: Snapshot, after: Snapshot, renamed: boolean): HostEvent | undefined {
  if (before.type !== after.type) return 'rename'
  if (before.type === undefined) return undefined
  if (renamed) return 'rename'
  return before.mark === after.mark ? undefined : 'change'
}
