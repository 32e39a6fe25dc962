import fs, { type BigIntStats, type Stats } from 'node:fs'
import { Errno } from './errno.js'
import { type Attributes, checkSize, type EntryType } from './layer.js'
import type { Lower } from './lower.js'
import type { RelPath } from './path.js'
import { openForReading } from './regular.js'
import type { Stage } from './stage.js'
import { bigStatsOf, statsOf } from './stats.js'
import type { Place } from './tree.js'
import type { Inode } from './upper.js'

/**
 * Open file descriptions (open(2)): the target of a descriptor, even after its name is gone. A file of the lower layer
 * has a read-only host descriptor until its first write, and from then on its inode.
 */

/** The read methods of an open file, for the read rows of the op table. */
export interface ReadFile {
  /** Its present name; undefined once it was unlinked or replaced. */
  readonly path: RelPath | undefined
  readonly type: 'file' | 'dir'
  /** Reads into `target` from a byte position. Returns the number of bytes, 0 at the end. */
  read(target: Uint8Array, position: number): number
  stat(): Stats
  statBig(): BigIntStats
  close(): void
}

/** The write methods of an open file, for the write rows of the op table. */
export interface WriteFile extends ReadFile {
  /** Returns every name that shows its writes: its own and other hard links; none after its last name is removed. */
  names(): RelPath[]
  write(data: Uint8Array, position: number): void
  setattr(attributes: Attributes): void
}

/** The parts of an overlay that an open file uses. */
export interface OpenFileOwner {
  readonly dev: number
  readonly stage: Stage
  readonly lower: Lower
  readonly opened: {
    delete(file: OpenFile): void
    rename(file: OpenFile, path: RelPath | undefined): void
  }
  placeOf(path: RelPath): Place
  shownAt(path: RelPath): Place
  typeOf(path: RelPath): EntryType | undefined
  put(path: RelPath, content: Uint8Array, options: { readonly at: number }): void
  setattr(path: RelPath, attributes: Attributes): void
}

/** One open file of the merged view. */
export class OpenFile implements WriteFile {
  /** Maintained by {@link OpenFiles}. */
  path: RelPath | undefined
  readonly type: 'file' | 'dir'
  #inode: Inode | undefined
  #host: number | undefined
  /** The lower path of the host descriptor. */
  #lower: RelPath | undefined

  /** @throws Errno ENOENT; the host's errors for a lower file that may not be read */
  constructor(
    private readonly overlay: OpenFileOwner,
    path: RelPath,
  ) {
    const { node, lower } = overlay.shownAt(path)
    const type = overlay.typeOf(path)
    if (type !== 'file' && type !== 'dir') throw new Errno(type === 'symlink' ? 'ELOOP' : type ? 'ENXIO' : 'ENOENT')
    this.path = path
    this.type = type
    if (node?.inode) this.adopt(node.inode)
    else if (lower !== undefined) this.#openHost(lower)
  }

  get inode(): Inode | undefined {
    return this.#inode
  }

  read(target: Uint8Array, position: number): number {
    if (this.type === 'dir') throw new Errno('EISDIR')
    if (this.#inode) return this.#inode.readInto(target, position)
    return fs.readSync(this.#hostFd(), target, 0, target.length, position)
  }

  stat(): Stats {
    if (this.#inode) return statsOf(this.#inode, this.overlay.dev)
    const stats = fs.fstatSync(this.#hostFd())
    // A name of it was removed in the merged view, and is still on disk.
    if (this.path === undefined) stats.nlink = Math.max(0, stats.nlink - 1)
    return stats
  }

  statBig(): BigIntStats {
    if (this.#inode) return bigStatsOf(this.#inode, this.overlay.dev)
    const stats = fs.fstatSync(this.#hostFd(), { bigint: true })
    if (this.path === undefined && stats.nlink > 0n) stats.nlink -= 1n
    return stats
  }

  names(): RelPath[] {
    const isAlone = this.path !== undefined && (this.#inode?.names ?? 1) === 1
    if (isAlone || !this.#inode || this.#inode.names <= 0) return this.path === undefined ? [] : [this.path]
    return this.overlay.stage.tree.namesOf(this.#inode)
  }

  write(data: Uint8Array, position: number): void {
    const path = this.#name()
    if (path === undefined) this.#ofSize(position + data.length).writeAt(data, position)
    else this.overlay.put(path, data, { at: position })
  }

  setattr(attributes: Attributes): void {
    const path = this.#name()
    if (path === undefined) setInode(this.#ofSize(attributes.size ?? 0), attributes)
    else this.overlay.setattr(path, attributes)
  }

  close(): void {
    this.#release()
    this.overlay.opened.delete(this)
  }

  /** The file was copied up: from now on this is its inode. */
  adopt(inode: Inode): void {
    this.#release()
    this.#inode = inode
    inode.opens++
  }

  /** Adopts the inode at its name, if that was copied up from this file. */
  copiedUp(): void {
    const { node } = this.path === undefined ? { node: undefined } : this.overlay.placeOf(this.path)
    if (node?.inode && !this.#inode) this.adopt(node.inode)
  }

  /** Its staged entry was committed: from now on this is the lower file there. */
  onSettle(): void {
    if (this.path !== undefined && this.#inode && this.overlay.typeOf(this.path) === 'file') this.#openHost(this.path)
  }

  /**
   * The stage was restored to a snapshot. The file becomes the one with its inode, else the lower file it came from.
   * Without either it continues without a name.
   */
  onTravel(): void {
    if (this.#inode) this.#findInode(this.#inode)
    else if (this.#lower !== undefined) this.#findLower(this.#lower)
  }

  #findInode(inode: Inode): void {
    const [name] = this.overlay.stage.tree.namesOf(inode)
    const found = name === undefined ? undefined : this.overlay.placeOf(name).node?.inode
    if (found) {
      this.#rename(name)
      this.adopt(found)
    } else if (inode.origin !== undefined && this.#shows(inode.origin as RelPath)) {
      const origin = inode.origin as RelPath
      this.#rename(origin)
      this.#openHost(origin)
    } else if (this.path !== undefined || inode.names > 0) {
      this.#rename(undefined)
      this.adopt(this.overlay.stage.inodes.nameless(inode))
    }
  }

  #findLower(lower: RelPath): void {
    const isHere = this.path !== undefined && this.overlay.placeOf(this.path).lower === lower
    if (isHere) return
    if (this.#shows(lower)) {
      this.#rename(lower)
      return
    }
    const copied = this.overlay.stage.tree.copiesOf(lower)[0]
    const inode = copied === undefined ? undefined : this.overlay.placeOf(copied).node?.inode
    this.#rename(copied)
    if (inode) this.adopt(inode)
  }

  /** Returns whether the merged view shows the disk's file under its own name. */
  #shows(lower: RelPath): boolean {
    const place = this.overlay.shownAt(lower)
    return !place.node?.inode && place.lower === lower && this.overlay.typeOf(lower) === this.type
  }

  #rename(path: RelPath | undefined): void {
    this.overlay.opened.rename(this, path)
  }

  #openHost(lower: RelPath): void {
    const host = openForReading(this.overlay.lower.hostPath(lower), false)
    this.#release()
    this.#host = host
    this.#lower = lower
  }

  #release(): void {
    if (this.#host !== undefined) fs.closeSync(this.#host)
    if (this.#inode && --this.#inode.opens === 0 && this.#inode.names <= 0) this.#inode.drop()
    this.#host = undefined
    this.#inode = undefined
  }

  /** Returns a name for writes: its own, or another hard link of the inode. */
  #name(): RelPath | undefined {
    return this.path ?? this.names()[0]
  }

  /** Returns an inode without a name, with room for that size. */
  #ofSize(size: number): Inode {
    checkSize(size)
    return this.#orphan()
  }

  /** Returns the content without a name. It lives as long as it is open, and is not in any log. */
  #orphan(): Inode {
    if (this.#inode) return this.overlay.stage.inodes.own(this.#inode, undefined)
    const stats = fs.fstatSync(this.#hostFd(), { bigint: true })
    checkSize(Number(stats.size))
    const content = Buffer.alloc(Number(stats.size))
    for (let at = 0; at < content.length; ) {
      const count = fs.readSync(this.#hostFd(), content, at, content.length - at, at)
      if (count === 0) break
      at += count
    }
    this.adopt(this.overlay.stage.inodes.orphan(stats, content))
    return this.#orphan()
  }

  #hostFd(): number {
    if (this.#host === undefined) throw new Errno('EBADF')
    return this.#host
  }
}

function setInode(inode: Inode, { mode, uid, gid, atimeNs, mtimeNs, size }: Attributes): void {
  if (mode !== undefined) inode.mode = mode
  if (uid !== undefined) inode.uid = uid
  if (gid !== undefined) inode.gid = gid
  if (atimeNs !== undefined) inode.atimeNs = atimeNs
  if (mtimeNs !== undefined) inode.mtimeNs = mtimeNs
  if (size !== undefined) inode.truncate(size)
}
