import type { BigIntStats } from 'node:fs'
import { Errno } from './errno.js'
import type { RelPath } from './path.js'
import type { NewInode } from './stage-edit.js'
import type { Tree } from './tree.js'
import type { Inode, Upper } from './upper.js'

/**
 * A stage's inodes, as far as they may be changed: what a snapshot refers to is copied first, and the names and open
 * files of it go on with the copy.
 */
export class Inodes {
  readonly #followers = new Set<(from: Inode, to: Inode) => void>()

  constructor(
    private readonly tree: Tree,
    private readonly upper: Upper,
  ) {}

  /** Tells when an inode is copied, for what refers to it by more than its name. */
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

  /** An inode without a name, for a file that was unlinked while open. It is in no log. */
  orphan(stats: BigIntStats, content: Uint8Array): Inode {
    const { atimeNs, mtimeNs, ctimeNs, birthtimeNs } = stats
    const ids = { mode: Number(stats.mode) & 0o7777, uid: Number(stats.uid), gid: Number(stats.gid) }
    const times = { atimeNs, mtimeNs, ctimeNs, birthtimeNs }
    const inode = this.upper.inode('file', { ...ids, ...times }, this.tree.owner)
    inode.setBytes(content)
    return inode
  }

  /** What an open file goes on with when its name is gone and a snapshot has the inode. */
  nameless(inode: Inode): Inode {
    const copy = inode.copy(this.tree.owner)
    copy.names = 0
    return copy
  }

  /** The inode at a path, to be changed. Throws EIO where none is staged. */
  at(path: RelPath): Inode {
    const inode = this.tree.find(path).node?.inode
    if (!inode) throw new Errno('EIO')
    return this.own(inode, path)
  }

  /** An inode, to be changed, that has a path (undefined: no name any more). */
  own(inode: Inode, path: RelPath | undefined): Inode {
    if (inode.owner === this.tree.owner) return inode
    const copy = inode.copy(this.tree.owner)
    for (const name of this.#namesOf(inode, path)) this.tree.own(name).inode = copy
    for (const follow of this.#followers) follow(inode, copy)
    return copy
  }

  /** A name is gone, or about to be. What a snapshot refers to stays for it. */
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
/** An edit's time. It is asked for several times in a row. */
export function nanoseconds(t: string): bigint {
  if (t !== lastText) {
    lastTime = BigInt(t)
    lastText = t
  }
  return lastTime
}

/** An inode was written. @param t nanoseconds since 1970, as an edit has them */
export function writtenAt(inode: Inode, t: string): void {
  inode.mtimeNs = nanoseconds(t)
  inode.ctimeNs = inode.mtimeNs
}
