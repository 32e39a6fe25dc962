import { baseOf, MERGE_LIMIT } from './base.js'
import { nowNs } from './clock.js'
import { copyIfShared, type PackRef, sizeOf } from './content.js'
import { Errno } from './errno.js'
import { type Attributes, checkSize, type EntryType, type PutOptions, type WriteLayer } from './layer.js'
import { typeOfStats } from './lower.js'
import { MergedView } from './merged.js'
import { newInode } from './new-inode.js'
import { OpenFile } from './open-file.js'
import { OpenFiles } from './open-files.js'
import type { OverlayOptions } from './overlay-options.js'
import { checkName, childOf, isWithin, nameOf, parentOf, type RelPath, ROOT } from './path.js'
import { PreparedBase } from './prepared-base.js'
import type { Base, EditData, NewInode, StageEdit } from './stage-edit.js'
import { type Place, pathsOf, restsOn } from './tree.js'
import { UnchangedNames } from './unchanged.js'
import type { Inode } from './upper.js'

/** Omit over each member of a union. */
type Undated<T> = T extends unknown ? Omit<T, 't' | 'intent' | 'call' | 'bases'> : never

/**
 * The merged view: the stage over the lower layer, and the seven mutators with the rules of rename(2), unlink(2) and
 * mkdir(2). Never writes the lower layer.
 */
export class Overlay extends MergedView implements WriteLayer {
  readonly #options: OverlayOptions
  readonly opened = new OpenFiles()
  readonly #unchanged: UnchangedNames
  readonly #prepared: PreparedBase

  constructor(options: OverlayOptions) {
    super(options.lower, options.stage)
    this.#options = options
    this.#unchanged = new UnchangedNames(options.lower, options.stage)
    this.#prepared = new PreparedBase(options.lower)
    options.stage.inodes.onCopy((from, to) => this.opened.onCopy(from, to))
  }

  // ---- the seven mutators

  put(path: RelPath, content: EditData, options: PutOptions = {}): void {
    const data = content instanceof Uint8Array ? copyIfShared(content) : content
    const place = this.shownAt(path)
    const type = this.typeAt(place)
    if (type === undefined) {
      this.#create(path, data, options)
      return
    }
    if (type === 'dir') throw new Errno('EISDIR')
    if (type !== 'file') throw new Errno(type === 'symlink' ? 'ELOOP' : 'EINVAL')
    const at = options.at
    checkSize((at ?? 0) + sizeOf(data))
    if (!place.node?.inode) {
      if (at === undefined) {
        this.#edit({ op: 'put', path, inode: this.#adoptLower(place) }, data, ...restsOn(path, place))
        return
      }
      this.#copyUp(path, place)
    }
    this.#edit({ op: 'put', path, ...(at !== undefined && { at }) }, data)
  }

  mkdir(path: RelPath, mode: number): void {
    this.#mayAppear(path)
    const hides = this.#lowerBelow(path) !== undefined
    this.#edit(
      { op: 'mkdir', path, inode: this.#born('dir', path, mode), over: hides ? 'lower' : 'nothing' },
      undefined,
      path,
    )
  }

  remove(path: RelPath): void {
    // The root is the mount point: it can be neither removed nor moved.
    if (path === ROOT) throw new Errno('EBUSY')
    const type = this.typeOf(path)
    if (type === undefined) throw new Errno('ENOENT')
    if (type === 'dir' && this.readdir(path).length > 0) throw new Errno('ENOTEMPTY')
    const touched = restsOn(path, this.stage.tree.find(path))
    this.#edit({ op: 'remove', path, whiteout: this.#lowerBelow(path) !== undefined }, undefined, ...touched)
  }

  move(from: RelPath, to: RelPath): void {
    if (from === ROOT || to === ROOT) throw new Errno('EBUSY')
    const place = this.shownAt(from)
    const type = this.typeAt(place)
    if (type === undefined) throw new Errno('ENOENT')
    if (from === to || this.#sameFile(from, to)) return
    this.#mayReplace(from, type, to)
    // A directory moves without a copy. A file is copied up, which makes it independent of its old name.
    if (type !== 'dir' && !place.node?.inode) this.#copyUp(from, place)
    const whiteout = this.#lowerBelow(from) !== undefined
    // A directory that the disk lacks must not show entries that appear later under its old name.
    const lower = type === 'dir' && place.lower !== undefined && this.#isLowerDir(place.lower) ? place.lower : null
    const replaced = restsOn(to, this.stage.tree.find(to))
    this.#edit({ op: 'move', from, to, lower, whiteout }, undefined, from, ...replaced)
  }

  link(existing: RelPath, path: RelPath): void {
    const place = this.shownAt(existing)
    const type = this.typeAt(place)
    if (type === undefined) throw new Errno('ENOENT')
    if (type === 'dir') throw new Errno('EPERM')
    this.#mayAppear(path)
    if (!place.node?.inode) this.#copyUp(existing, place)
    this.#edit({ op: 'link', existing, path }, undefined, path)
  }

  symlink(target: string, path: RelPath): void {
    this.#mayAppear(path)
    this.#edit({ op: 'symlink', path, target, inode: this.#born('symlink', path, 0o777) }, undefined, path)
  }

  setattr(path: RelPath, attributes: Attributes): void {
    const place = this.shownAt(path)
    const type = this.typeAt(place)
    if (type === undefined) throw new Errno('ENOENT')
    if (attributes.size !== undefined && type === 'dir') throw new Errno('EISDIR')
    checkSize(attributes.size ?? 0)
    // A file that is emptied needs no copy of its content.
    if (!place.node?.inode && attributes.size === 0 && type === 'file') this.put(path, new Uint8Array())
    else if (!place.node?.inode) this.#copyUp(path, place)
    const { atimeNs, mtimeNs, ...plain } = attributes
    const times = {
      ...(atimeNs !== undefined && { atimeNs: String(atimeNs) }),
      ...(mtimeNs !== undefined && { mtimeNs: String(mtimeNs) }),
    }
    this.#edit({ op: 'setattr', path, ...plain, ...times })
  }

  /** Prepares a put of large content: stores it, and digests the old content, one part per turn of the event loop. */
  async prepare(path: RelPath, content: Uint8Array): Promise<EditData> {
    if (!this.stage.bases.has(path)) await this.#prepared.ready(path)
    return (await this.#options.keepInParts?.(copyIfShared(content))) ?? content
  }

  // ---- names that change nothing

  /** Returns whether the staged entry of a path changes nothing. */
  isUnchanged(path: RelPath, inode: Inode): boolean {
    return this.#unchanged.has(path, inode)
  }

  /**
   * Drops a staged name that changes nothing, once the disk has changed; only for a stage's owner. @returns whether it
   * did
   */
  giveWay(path: RelPath): boolean {
    if (!this.#options.log || !this.#unchanged.isOutdated(path)) return false
    const { settledSeq: seq, reviewed, reviewId } = this.stage
    const taken = { seq, reviewed, ...(reviewId !== undefined && { reviewId }) }
    const edit: StageEdit = { op: 'settle', t: nowNs(), drop: [path], point: [], hide: [], forget: [path], ...taken }
    this.#options.log(edit, undefined)
    this.apply(edit)
    return true
  }

  /** {@link giveWay} for the names in a directory, before it is listed. */
  giveWayIn(dir: RelPath): void {
    for (const path of this.#unchanged.namesIn(dir)) this.giveWay(path)
  }

  /** {@link giveWay} for every staged name, before the disk and the stage are read as one tree. */
  giveWayAll(): void {
    for (const path of pathsOf(this.stage.tree.root, ROOT)) this.giveWay(path)
  }

  // ---- open files

  /** Opens an existing file or directory. Throws ENOENT, ELOOP (a symlink), ENXIO. */
  open(path: RelPath): OpenFile {
    const file = new OpenFile(this, path)
    this.opened.add(file)
    return file
  }

  /** Applies an edit that is logged already, and updates the names of open files. */
  apply(edit: StageEdit, data?: EditData, packed?: PackRef): void {
    this.stage.apply(edit, data, packed)
    this.opened.follow(edit)
  }

  // ---- parts of the mutators

  #create(path: RelPath, data: EditData, options: PutOptions): void {
    this.#mayAppear(path)
    const { at = 0, mode = 0o666 } = options
    checkSize(at + sizeOf(data))
    this.#edit({ op: 'put', path, inode: this.#born('file', path, mode) }, at > 0 ? new Uint8Array() : data, path)
    if (at > 0) this.#edit({ op: 'put', path, at }, data)
  }

  #born(type: 'file' | 'dir' | 'symlink', path: RelPath, mode: number): NewInode {
    const { node, lower } = this.stage.tree.find(parentOf(path))
    return newInode(type, mode, node?.inode ?? (lower === undefined ? undefined : this.lower.lstat(lower)))
  }

  /** Throws unless a new name may be made at a path: EEXIST, ENOENT, ENOTDIR, ENAMETOOLONG. */
  #mayAppear(path: RelPath): void {
    checkName(nameOf(path))
    if (this.typeOf(path) !== undefined) throw new Errno('EEXIST')
    const parent = this.typeOf(parentOf(path))
    if (parent !== 'dir') throw new Errno(parent === undefined ? 'ENOENT' : 'ENOTDIR')
  }

  /** Checks rename(2)'s conditions for the target of a move. */
  #mayReplace(from: RelPath, type: EntryType, to: RelPath): void {
    checkName(nameOf(to))
    if (type === 'dir' && isWithin(to, from)) throw new Errno('EINVAL')
    const parent = this.typeOf(parentOf(to))
    if (parent !== 'dir') throw new Errno(parent === undefined ? 'ENOENT' : 'ENOTDIR')
    const replaced = this.typeOf(to)
    if (replaced === undefined) return
    if (replaced === 'dir') {
      if (isWithin(from, to)) throw new Errno('ENOTEMPTY')
      if (type !== 'dir') throw new Errno('EISDIR')
      if (this.readdir(to).length > 0) throw new Errno('ENOTEMPTY')
    } else if (type === 'dir') throw new Errno('ENOTDIR')
  }

  /** rename(2) does nothing between two names of one file. */
  #sameFile(a: RelPath, b: RelPath): boolean {
    const inode = this.stage.tree.find(a).node?.inode
    return inode !== undefined && inode.type !== 'dir' && inode === this.stage.tree.find(b).node?.inode
  }

  #isLowerDir(path: RelPath): boolean {
    return this.lower.typeOf(path) === 'dir'
  }

  /** Returns the lower path of a path's own name, hidden or not. */
  #lowerBelow(path: RelPath): RelPath | undefined {
    const parent = this.shownAt(parentOf(path))
    if (parent.lower === undefined) return undefined
    const below = childOf(parent.lower, nameOf(path))
    return this.lower.typeOf(below) === undefined ? undefined : below
  }

  /** Attributes for a file whose whole content is replaced: those of the lower file. */
  #adoptLower(place: Place): NewInode {
    const stats = place.lower === undefined ? undefined : this.lower.lstat(place.lower)
    if (!stats || place.lower === undefined) throw new Errno('ENOENT')
    return { mode: stats.mode & 0o7777, uid: stats.uid, gid: stats.gid, origin: place.lower }
  }

  /** Stages a lower entry with its content and attributes. */
  #copyUp(path: RelPath, place: Place): void {
    if (place.lower === undefined) throw new Errno('ENOENT')
    const stats = this.lower.lstatBig(place.lower)
    if (!stats) throw new Errno('ENOENT')
    const inode = this.#adoptLower(place)
    const type = typeOfStats(stats)
    if (type === 'file') checkSize(Number(stats.size))
    const touched = restsOn(path, place)
    if (type === 'file') this.#edit({ op: 'put', path, inode }, this.lower.read(place.lower), ...touched)
    else if (type === 'dir') this.#edit({ op: 'mkdir', path, inode, over: 'nothing' }, undefined, ...touched)
    else if (type === 'symlink')
      this.#edit({ op: 'symlink', path, target: this.lower.readlink(place.lower), inode }, undefined, ...touched)
    else throw new Errno('EINVAL')
    const times = { atimeNs: String(stats.atimeNs), mtimeNs: String(stats.mtimeNs) }
    this.#edit({ op: 'setattr', path, ...times })
  }

  /** Logs an edit, then applies it. `touched`: paths whose base is recorded if the stage has none yet. */
  #edit(edit: Undated<StageEdit>, data?: EditData, ...touched: RelPath[]): void {
    if (edit.op === 'put') this.#options.room?.(edit.path, (edit.at ?? 0) + (data ? sizeOf(data) : 0))
    else if (edit.op === 'setattr' && edit.size !== undefined) this.#options.room?.(edit.path, edit.size)
    const bases = touched
      .filter((path) => !this.stage.bases.has(path))
      .map((path) => [path, this.#noteBase(path, edit.op)] as const)
    const dated = { ...edit, t: nowNs(), ...this.#options.credit?.(), ...(bases.length > 0 && { bases }) } as StageEdit
    const packed = this.#options.log?.(dated, data)
    this.apply(dated, data, packed)
  }

  #noteBase(path: RelPath, op: StageEdit['op']): Base {
    const known = this.#options.knownBase?.(path) ?? this.#prepared.at(path)
    // Only a written file can be merged: a removed tree need not be read.
    if (op !== 'put') return known ?? baseOf(this.lower, path)
    return known ? this.withContent(path, known) : baseOf(this.lower, path, undefined, this.#options.keep)
  }

  /** Returns the base with its content kept, if the disk still has it and it is small enough for a merge. */
  withContent(path: RelPath, base: Base): Base {
    const { keep } = this.#options
    if (keep === undefined || base.state?.type !== 'file' || base.kept) return base
    const stats = this.lower.lstat(path)
    if (!stats?.isFile() || stats.size > MERGE_LIMIT) return base
    const { digest, at } = keep(this.lower.read(path))
    return digest === base.state.digest ? { ...base, kept: at } : base
  }
}
