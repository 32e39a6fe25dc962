import { stateNow } from './base.js'
import { sameState } from './change.js'
import { digest } from './digest.js'
import { fileStamp, sizeInStamp } from './file-stamp.js'
import type { Lower } from './lower.js'
import { childOf, parentOf, type RelPath } from './path.js'
import type { Stage } from './stage.js'
import type { Base } from './stage-edit.js'
import type { Inode } from './upper.js'

/**
 * Staged files that change nothing: a commit would write the bytes and mode that the disk had when the name was first
 * edited. Such a name must not hide later content on disk, so the stage drops it once the disk has changed.
 */
export class UnchangedNames {
  readonly #found = new WeakMap<Inode, Found>()

  constructor(
    private readonly lower: Lower,
    private readonly stage: Stage,
  ) {}

  /** Returns whether the staged entry of a path changes nothing. Does not read the disk. */
  has(path: RelPath, inode: Inode): boolean {
    return this.#foundAt(path, inode) !== undefined
  }

  /** Returns the names in a directory that change nothing. Does not read the disk. */
  namesIn(dir: RelPath): RelPath[] {
    const found: RelPath[] = []
    for (const [name, { inode }] of this.stage.tree.find(dir).node?.children ?? []) {
      // Most staged entries were created by the session, and have no base to be equal to.
      if (!inode || inode.type === 'dir') continue
      const path = childOf(dir, name)
      if (this.has(path, inode)) found.push(path)
    }
    return found
  }

  /** Returns whether the disk has changed below a staged name that changes nothing. An open file keeps its name. */
  isOutdated(path: RelPath): boolean {
    const inode = this.stage.tree.find(path).node?.inode
    if (!inode || inode.opens > 0) return false
    const found = this.#foundAt(path, inode)
    if (!found) return false
    const { base } = found
    if (base.state?.type === 'symlink') return !sameState(stateNow(this.lower, path, base), base.state)
    const stats = this.lower.lstatBig(path)
    const stamp = stats?.isFile() ? fileStamp(stats) : undefined
    if (stamp === undefined) return true
    if (stamp === found.stamp) return false
    // A base without a stamp is compared by content once.
    if (found.stamp !== undefined || !sameState(stateNow(this.lower, path, base), base.state)) return true
    found.stamp = stamp
    return false
  }

  #foundAt(path: RelPath, inode: Inode): Found | undefined {
    if (inode.type === 'dir') return undefined
    const base = this.stage.bases.get(path)
    if (!base?.state || base.state.type !== inode.type) return undefined
    const known = this.#found.get(inode)
    if (known?.path === path && known.base === base && known.ctimeNs === inode.ctimeNs)
      return known.isUnchanged ? known : undefined
    const isUnchanged = isSame(inode, base) && this.stage.tree.find(parentOf(path)).lower === parentOf(path)
    const found: Found = { path, base, ctimeNs: inode.ctimeNs, isUnchanged, stamp: base.stamp }
    this.#found.set(inode, found)
    return isUnchanged ? found : undefined
  }
}

interface Found {
  readonly path: RelPath
  readonly base: Base
  /** Changes with each edit of the inode. */
  readonly ctimeNs: bigint
  readonly isUnchanged: boolean
  /** The stamp of the disk's file while it was the base. */
  stamp: string | undefined
}

function isSame(inode: Inode, { state, stamp }: Base): boolean {
  if (!state) return false
  if (inode.type === 'symlink') return digest(inode.target) === state.digest
  if (inode.mode !== state.mode) return false
  // Mostly the sizes differ, and the content need not be digested.
  if (stamp !== undefined && sizeInStamp(stamp) !== inode.size) return false
  return inode.digest() === state.digest
}
