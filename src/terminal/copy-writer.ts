import { lstatSync, readdirSync, type Stats } from 'node:fs'
import {
  childOf,
  codeOf,
  type EntryType,
  Errno,
  nameOf,
  type Overlay,
  parentOf,
  type RelPath,
  ROOT,
} from '../../overlay/index.js'
import { isPhysical, lookAt } from '../os/read.js'
import { chmodSync, cloneFile, createFile, makeDir, makeSymlink, removeTree, setTimes } from '../os/write.js'
import { type CopiedTree, stampOf, tokenOf } from './copied-entry.js'

/** The paths of a copy to bring up to the stage. */
export class CopyPlan {
  /** Whether everything below a path is meant. */
  readonly #paths = new Map<RelPath, boolean>()
  readonly #ways = new Map<RelPath, Set<string>>()

  /** @param isUnchanged whether an entry of the copy is known to be as it was copied. */
  constructor(readonly isUnchanged: (path: RelPath) => boolean) {}

  add(path: RelPath, isWhole: boolean): void {
    if (isWhole || !this.#paths.has(path)) this.#paths.set(path, isWhole)
    for (let at = path; at !== ROOT; at = parentOf(at)) {
      const dir = parentOf(at)
      const names = this.#ways.get(dir)
      if (names?.has(nameOf(at))) return
      if (names) names.add(nameOf(at))
      else this.#ways.set(dir, new Set([nameOf(at)]))
    }
  }

  /** Whether everything below a path is meant; undefined for a path that is not in the plan. */
  isWhole(path: RelPath): boolean | undefined {
    return this.#paths.get(path)
  }

  /** The names in a directory that are in the plan, or lead to a path that is. */
  namesOn(dir: RelPath): ReadonlySet<string> {
    return this.#ways.get(dir) ?? NONE
  }
}

const NONE: ReadonlySet<string> = new Set()

/** The errors of an entry that is not copied: this user may not read it, another program has just removed or replaced it, or its name is not UTF-8. */
const UNAVAILABLE: ReadonlySet<string | undefined> = new Set([
  'EACCES',
  'ENOENT',
  'ENOTDIR',
  'EINVAL',
  'EISDIR',
  'ELOOP',
  'ENXIO',
])

/** The stage that a copy shows. */
export interface Shows {
  readonly overlay: Overlay
  /** Paths that are left out. */
  readonly closed: ReadonlySet<RelPath>
  /** Paths of commands that stay, although they are not staged. */
  readonly kept: ReadonlySet<RelPath>
}

/** Brings a copy up to a stage. */
export class CopyWriter {
  #hasWritten = false

  constructor(
    private readonly root: string,
    private readonly tree: string,
    private readonly copied: CopiedTree,
  ) {}

  /** @returns whether the copy was changed */
  bring(shows: Shows, plan: CopyPlan): boolean {
    this.#hasWritten = false
    this.#directory(shows, plan, ROOT, false)
    return this.#hasWritten
  }

  #entry(shows: Shows, plan: CopyPlan, path: RelPath, isWhole: boolean, known?: EntryType): void {
    const type = shows.closed.has(path) ? undefined : (known ?? shows.overlay.typeOf(path))
    if (type === 'dir') this.#directory(shows, plan, path, this.#makeDirectory(path) || isWhole)
    else if ((type !== 'file' && type !== 'symlink') || !this.#leaf(shows, plan, path, type)) this.#remove(shows, path)
  }

  /** @returns whether it was made, so that it is empty */
  #makeDirectory(path: RelPath): boolean {
    const at = this.#at(path)
    if (lookAt(at)?.isDirectory()) return false
    removeTree(at)
    this.copied.forget(path)
    makeDir(at, 0o700)
    this.#hasWritten = true
    return true
  }

  #directory(shows: Shows, plan: CopyPlan, path: RelPath, isAllNew: boolean): void {
    const at = this.#at(path)
    const isWhole = isAllNew || plan.isWhole(path) === true
    // Creating entries needs a writable directory.
    if (path !== ROOT) this.#setMode(at, lstatSync(at), (mode) => mode | 0o700)
    if (!isWhole && plan.isWhole(path) === undefined)
      for (const name of plan.namesOn(path)) this.#entry(shows, plan, childOf(path, name), false)
    else this.#listed(shows, plan, path, isWhole)
    if (path === ROOT) return
    const mode = (shows.overlay.lstat(path)?.mode ?? 0o755) & 0o7777
    this.#setMode(at, lstatSync(at), () => mode)
    const stats = lstatSync(at)
    this.copied.set(path, { type: 'dir', token: '', stamp: stampOf(stats), ino: stats.ino })
  }

  /** Brings the names of a directory up to the stage. */
  #listed(shows: Shows, plan: CopyPlan, path: RelPath, isWhole: boolean): void {
    const planned = plan.namesOn(path)
    const names = new Set<string>()
    for (const { name, type } of this.#entriesOf(shows, path)) {
      const child = childOf(path, name)
      names.add(name)
      const isNew = this.copied.get(child)?.type !== type
      if (isWhole || isNew || planned.has(name)) this.#entry(shows, plan, child, isWhole || isNew, type)
    }
    for (const name of readdirSync(this.#at(path))) if (!names.has(name)) this.#remove(shows, childOf(path, name))
    for (const name of this.copied.namesIn(path)) if (!names.has(name)) this.copied.forget(childOf(path, name))
  }

  #entriesOf({ overlay }: Shows, path: RelPath): ReturnType<Overlay['readdir']> {
    try {
      const { lower } = overlay.shownAt(path)
      const entries = overlay.readdir(path)
      this.#assertPhysical(lower)
      return entries
    } catch (error) {
      if (path !== ROOT && UNAVAILABLE.has(codeOf(error))) return []
      throw error
    }
  }

  /** Another program may have replaced a directory by a link, which leads a reader of its names out of the workspace. */
  #assertPhysical(dir: RelPath | undefined): void {
    if (dir !== undefined && dir !== ROOT && !isPhysical(`${this.root}/${dir}`)) throw new Errno('ELOOP')
  }

  #remove({ kept }: Shows, path: RelPath): void {
    this.copied.forget(path)
    const at = this.#at(path)
    if (kept.has(path) || lookAt(at) === undefined) return
    removeTree(at)
    this.#hasWritten = true
  }

  /** @returns false for one that cannot be read, or that is not there any more */
  #leaf(shows: Shows, plan: CopyPlan, path: RelPath, type: 'file' | 'symlink'): boolean {
    try {
      this.#bringLeaf(shows, plan, path, type)
      return true
    } catch (error) {
      if (UNAVAILABLE.has(codeOf(error))) return false
      throw error
    }
  }

  #bringLeaf({ overlay }: Shows, plan: CopyPlan, path: RelPath, type: 'file' | 'symlink'): void {
    const at = this.#at(path)
    const { token, isRacy } = tokenOf(overlay, path, type)
    const copied = this.copied.get(path)
    if (copied?.token === token && !copied.isRacy) {
      const now = plan.isUnchanged(path) ? undefined : lookAt(at)
      if (plan.isUnchanged(path) || (now !== undefined && copied.stamp === stampOf(now))) return
    }
    this.#hasWritten = true
    removeTree(at)
    this.copied.forget(path)
    if (type === 'symlink') this.#symlink(overlay, path, at)
    else this.#file(overlay, path, at)
    this.copied.set(path, { type, token, stamp: stampOf(lstatSync(at)), ...(isRacy && { isRacy }) })
  }

  #symlink(overlay: Overlay, path: RelPath, at: string): void {
    const { node, lower } = overlay.shownAt(path)
    const target = overlay.readlink(path)
    if (node?.inode === undefined && lower !== undefined) this.#assertPhysical(parentOf(lower))
    makeSymlink(target, at)
  }

  #file(overlay: Overlay, path: RelPath, at: string): void {
    const { node, lower } = overlay.shownAt(path)
    const stats = overlay.lstat(path)
    const mode = (stats?.mode ?? 0o644) & 0o777
    if (node?.inode === undefined && lower !== undefined) cloneFile(`${this.root}/${lower}`, at, true)
    else createFile(at, overlay.read(path), mode, false)
    chmodSync(at, mode)
    if (stats) setTimes(at, stats.atimeMs / 1000, stats.mtimeMs / 1000)
  }

  #setMode(at: string, stats: Stats, wanted: (mode: number) => number): void {
    const mode = stats.mode & 0o7777
    if (wanted(mode) === mode) return
    chmodSync(at, wanted(mode))
    this.#hasWritten = true
  }

  #at(path: RelPath): string {
    return path === ROOT ? this.tree : `${this.tree}/${path}`
  }
}
