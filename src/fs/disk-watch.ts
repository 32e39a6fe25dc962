import { basename } from 'node:path'
import { childOf, codeOf, isWithin, type Overlay, parentOf, type RelPath } from '../../overlay/index.js'
import { type HostEvent, watchHost } from '../os/watch.js'

/**
 * Watches the lower directories that show in a watched part of the merged view. Renames and commits change which ones
 * show at which path, so the stage asks for a refresh.
 */

export interface DiskScope {
  /** A single name, a directory's names, or everything below a directory. */
  readonly reach: 'entry' | 'children' | 'tree'
  readonly path: RelPath
  /** Returns false for a directory whose names must not be revealed. */
  readonly mayEnter: (dir: RelPath) => boolean
}

export interface DiskListener {
  /** A lower name may have changed that shows at `path`. */
  event(path: RelPath, lower: RelPath, event: HostEvent): void
  /** The host stopped watching a part, or could not start. */
  onFailure(error: unknown): void
}

/** A watched lower directory. */
interface Target {
  readonly lower: RelPath
  readonly ino: number
  readonly close: () => void
  /** Whether it has a child of its own name. Then the host's events for that name may be about either. */
  twin: boolean
}

export class DiskWatch {
  readonly #targets = new Map<RelPath, Target>()
  /** The watched directory. */
  readonly #base: RelPath

  /** Throws the host's errors for its limits. */
  constructor(
    private readonly overlay: Overlay,
    private readonly scope: DiskScope,
    private readonly listener: DiskListener,
  ) {
    this.#base = scope.reach === 'entry' ? parentOf(scope.path) : scope.path
    this.#cover(this.#base, false)
  }

  /** Updates the watches below a path. `fresh`: everything below has just appeared on disk. */
  refresh(path: RelPath, fresh: boolean): void {
    const isDir = this.overlay.typeOf(path) === 'dir'
    if (fresh && !isDir && !this.#targets.has(path)) return
    for (const dir of this.#targets.keys())
      if (isWithin(dir, path) && (!isDir || this.overlay.typeOf(dir) !== 'dir')) this.#drop(dir)
    try {
      if (isWithin(this.#base, path)) this.#cover(this.#base, fresh)
      else if (isDir && this.#reaches(path)) this.#cover(path, fresh)
    } catch (error) {
      this.listener.onFailure(error)
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
    const { lower } = this.overlay.shownAt(dir)
    for (const entry of this.overlay.readdir(dir)) {
      const child = childOf(dir, entry.name)
      if (appeared && lower !== undefined) this.listener.event(child, childOf(lower, entry.name), 'rename')
      if (entry.type === 'dir' && this.scope.mayEnter(child)) this.#cover(child, fresh)
    }
  }

  /** Watches the lower directory of a place. Returns whether that is new. */
  #target(dir: RelPath): boolean {
    const { lower } = this.overlay.shownAt(dir)
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
      const onFailure = (error: unknown) => this.listener.onFailure(error)
      return watchHost(this.overlay.lower.hostPath(lower), { failed: onFailure }, (event, name) =>
        this.#onHostEvent(dir, event, name),
      )
    } catch (error) {
      // It was removed since the check, and the event of that will follow.
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined
      throw error
    }
  }

  #onHostEvent(dir: RelPath, event: HostEvent, name: string | null): void {
    const target = this.#targets.get(dir)
    if (!target) return
    const { lower } = target
    if (name === null || this.#isItself(target, name)) {
      const gone = this.overlay.lower.typeOf(lower) === undefined
      this.listener.event(dir, lower, gone ? 'rename' : 'change')
      return
    }
    const path = childOf(dir, name)
    if (this.scope.reach !== 'entry' || path === this.scope.path) this.listener.event(path, childOf(lower, name), event)
  }

  /** For a change of the directory itself the host reports the directory's own name, like a child's. */
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
