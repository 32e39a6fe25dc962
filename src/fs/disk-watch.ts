import { basename } from 'node:path'
import { childOf, codeOf, isWithin, type Overlay, parentOf, type RelPath } from '../../overlay/index.js'
import { type HostEvent, watchHost } from '../host/watch.js'

/**
 * The lower directories whose names show in a watched part of the merged view, each watched on disk. What shows where
 * changes with renames and commits, so the set is looked over again when the stage says so.
 */

export interface DiskScope {
  /** A single name, a directory's names, or everything below a directory. */
  readonly reach: 'entry' | 'children' | 'tree'
  readonly path: RelPath
  /** False for a directory whose names must stay unknown. */
  readonly mayEnter: (dir: RelPath) => boolean
}

export interface DiskListener {
  /** A name of the lower layer may have changed that shows at `path`. */
  event(path: RelPath, lower: RelPath, event: HostEvent): void
  /** The host watches a part no longer, or never did. */
  onFailure(error: unknown): void
}

/** A lower directory under watch. */
interface Target {
  readonly lower: RelPath
  readonly ino: number
  readonly close: () => void
  /** It has a child of its own name: what the host tells of that name may be told of either. */
  twin: boolean
}

export class DiskWatch {
  readonly #targets = new Map<RelPath, Target>()
  /** The directory the watch hangs on. */
  readonly #base: RelPath

  /** Throws the host's errors for its limits. */
  constructor(
    private readonly overlay: Overlay,
    private readonly scope: DiskScope,
    private readonly told: DiskListener,
  ) {
    this.#base = scope.reach === 'entry' ? parentOf(scope.path) : scope.path
    this.#cover(this.#base, false)
  }

  /** What shows at a path may come from elsewhere now. `fresh`: whatever is below it has just appeared on disk. */
  refresh(path: RelPath, fresh: boolean): void {
    const isDir = this.overlay.typeOf(path) === 'dir'
    if (fresh && !isDir && !this.#targets.has(path)) return
    for (const dir of this.#targets.keys())
      if (isWithin(dir, path) && (!isDir || this.overlay.typeOf(dir) !== 'dir')) this.#drop(dir)
    try {
      if (isWithin(this.#base, path)) this.#cover(this.#base, fresh)
      else if (isDir && this.#reaches(path)) this.#cover(path, fresh)
    } catch (error) {
      this.told.onFailure(error)
    }
  }

  close(): void {
    for (const dir of [...this.#targets.keys()]) this.#drop(dir)
  }

  #reaches(path: RelPath): boolean {
    return this.scope.reach === 'tree' && isWithin(path, this.#base) && this.scope.mayEnter(path)
  }

  #cover(dir: RelPath, fresh: boolean): void {
    if (this.overlay.typeOf(dir) !== 'dir') return
    const appeared = this.#target(dir) && fresh
    if (this.scope.reach !== 'tree') return
    const { lower } = this.overlay.placeOf(dir)
    for (const entry of this.overlay.readdir(dir)) {
      const child = childOf(dir, entry.name)
      if (appeared && lower !== undefined) this.told.event(child, childOf(lower, entry.name), 'rename')
      if (entry.type === 'dir' && this.scope.mayEnter(child)) this.#cover(child, fresh)
    }
  }

  /** Has the lower directory at a place watched. True if it was not yet. */
  #target(dir: RelPath): boolean {
    const { lower } = this.overlay.placeOf(dir)
    const stats = lower === undefined ? undefined : this.overlay.lower.lstat(lower)
    const known = this.#targets.get(dir)
    if (known && known.lower === lower && known.ino === stats?.ino) return false
    this.#drop(dir)
    if (lower === undefined || !stats?.isDirectory()) return false
    const close = this.#watch(dir, lower)
    if (!close) return false
    this.#targets.set(dir, { lower, ino: stats.ino, close, twin: this.#hasTwin(lower) })
    return true
  }

  #watch(dir: RelPath, lower: RelPath): (() => void) | undefined {
    try {
      const onFailure = (error: unknown) => this.told.onFailure(error)
      return watchHost(this.overlay.lower.hostPath(lower), { failed: onFailure }, (event, name) =>
        this.#hear(dir, event, name),
      )
    } catch (error) {
      // Gone since it was looked at: the event of that is on its way.
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined
      throw error
    }
  }

  #hear(dir: RelPath, event: HostEvent, name: string | null): void {
    const target = this.#targets.get(dir)
    if (!target) return
    const { lower } = target
    if (name === null || this.#isItself(target, name)) {
      const gone = this.overlay.lower.typeOf(lower) === undefined
      this.told.event(dir, lower, gone ? 'rename' : 'change')
      return
    }
    const path = childOf(dir, name)
    if (this.scope.reach !== 'entry' || path === this.scope.path) this.told.event(path, childOf(lower, name), event)
  }

  /** Of a change to the directory itself the host tells by the directory's own name, as if it were a child's. */
  #isItself(target: Target, name: string): boolean {
    if (name !== this.#nameOf(target.lower)) return false
    const before = target.twin
    target.twin = this.#hasTwin(target.lower)
    return !before && !target.twin
  }

  #hasTwin(lower: RelPath): boolean {
    return this.overlay.lower.typeOf(childOf(lower, this.#nameOf(lower))) !== undefined
  }

  #nameOf(lower: RelPath): string {
    return basename(this.overlay.lower.hostPath(lower))
  }

  #drop(dir: RelPath): void {
    this.#targets.get(dir)?.close()
    this.#targets.delete(dir)
  }
}
