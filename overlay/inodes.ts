import type { BigIntStats } from 'node:fs'
import { Errno } from './errno.js'
import type { RelPath } from './path.js'
import type { NewInode } from './stage-edit.js'
import type { Tree } from './tree.js'
import type { Inode, Upper } from './upper.js'

/**
 * The inodes of a stage, open for changes: an inode in a snapshot is copied first, and its names and open files move to
 * the copy.
 */
export class Inodes {
  readonly #followers = new Set<(from: Inode, to: Inode) => void>()

  constructor(
    private readonly tree: Tree,
    private readonly upper: Upper,
  ) {}

  /** Sets a callback for copied inodes, for references other than names. */
  onCopy(follow: (from: Inode, to: Inode) => void): void {
    this.#followers.add(follow)
  }

  make(type: Inode['type'], { mode, uid, gid, origin }: NewInode, t: string): Inode {
    const now = nanoseconds(t)
    const times = { atimeNs: now, mtimeNs: now, ctimeNs: now, birthtimeNs: now }
    const inode = this.upper.inode(type, { mode, uid, gid, ...times }, this.tree.owner)
    inode.origin = origin
    inode.names = 1
    return inode
  }

  /** Returns an inode without a name, for a file that was unlinked while open. It is not in any log. */
  orphan(stats: BigIntStats, content: Uint8Array): Inode {
    const { atimeNs, mtimeNs, ctimeNs, birthtimeNs } = stats
    const ids = { mode: Number(stats.mode) & 0o7777, uid: Number(stats.uid), gid: Number(stats.gid) }
    const times = { atimeNs, mtimeNs, ctimeNs, birthtimeNs }
    const inode = this.upper.inode('file', { ...ids, ...times }, this.tree.owner)
    inode.setBytes(content)
    return inode
  }

  /** Returns the inode for an open file whose name is gone, if a snapshot has the inode. */
  nameless(inode: Inode): Inode {
    const copy = inode.copy(this.tree.owner)
    copy.names = 0
    return copy
  }

  /** Returns the inode at a path, for a change. Throws EIO if none is staged. */
  at(path: RelPath): Inode {
    const inode = this.tree.find(path).node?.inode
    if (!inode) throw new Errno('EIO')
    return this.own(inode, path)
  }

  /** Returns an inode, for a change. @param path its path; undefined when it has no name any more */
  own(inode: Inode, path: RelPath | undefined): Inode {
    if (inode.owner === this.tree.owner) return inode
    const copy = inode.copy(this.tree.owner)
    for (const name of this.#namesOf(inode, path)) this.tree.own(name).inode = copy
    for (const follow of this.#followers) follow(inode, copy)
    return copy
  }

  /** A name is removed. An inode in a snapshot stays for the snapshot. */
  release(released: Inode, path: RelPath, t: string): void {
    if (released.owner !== this.tree.owner && released.names === 1 && released.opens === 0) return
    const inode = this.own(released, path)
    inode.names--
    inode.ctimeNs = nanoseconds(t)
    if (inode.names <= 0 && inode.opens === 0) inode.drop()
  }

  #namesOf(inode: Inode, path: RelPath | undefined): RelPath[] {
    if (path === undefined) return []
    return inode.names > 1 && inode.type !== 'dir' ? this.tree.namesOf(inode) : [path]
  }
}

let lastText = ''
let lastTime = 0n
/** Returns an edit's time, which is needed several times in a row. */
export function nanoseconds(t: string): bigint {
  if (t !== lastText) {
    lastTime = BigInt(t)
    lastText = t
  }
  return lastTime
}

/** Sets the times of a written inode. @param t nanoseconds since 1970, as in edits */
export function writtenAt(inode: Inode, t: string): void {
  inode.mtimeNs = nanoseconds(t)
  inode.ctimeNs = inode.mtimeNs
}
