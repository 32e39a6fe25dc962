import type { BigIntStats } from 'node:fs'
import type { Owner } from '../os/write.js'
import type { Disk } from './disk.js'
import { type Pins, parentOf } from './pin.js'
import type { TargetDirs } from './target-dirs.js'
import type { CommitEntry } from './types.js'

const SETGID = 0o2000

/** The owner of files a commit creates. */
export interface Ownership {
  /** Undefined if the file gets the right owner from our own directory, in which it is made. */
  of(entry: Pick<CommitEntry, 'path' | 'old' | 'new'>, stats: BigIntStats | undefined): Owner | undefined
  /** Whether a directory made at `path` has the set-group-id bit, as its parent does. */
  inheritsGroup(path: string): boolean
}

/**
 * A replaced file keeps its owner if root commits, and its group if the user is in that group. A new file has the group
 * of a set-group-id directory (Linux's inode_init_owner), or else the user's.
 * @param tx the directory in which the files are made
 */
export function ownership(
  { disk, pins, targetDirs }: { disk: Disk; pins: Pins; targetDirs: TargetDirs },
  entries: readonly CommitEntry[],
  tx: string,
): Ownership {
  const [uid, egid] = [process.geteuid?.(), process.getegid?.()]
  const createdModes = new Map(
    entries.filter(({ op }) => op === 'mkdir').map((entry) => [entry.path, entry.new?.mode ?? 0]),
  )
  const known = new Map<string, number | undefined>()
  const inheritedGroup = (dir: string): number | undefined => {
    if (!known.has(dir)) known.set(dir, targetDirs.at(dir) === 'real' ? groupOf(disk, `${pins.at(dir)}/.`) : ofNew(dir))
    return known.get(dir)
  }
  // A new directory inherits the set-group-id bit unless its own mode lacks it.
  const ofNew = (dir: string) => {
    const inheritsGroup = targetDirs.implied.has(dir) || ((createdModes.get(dir) ?? 0) & SETGID) !== 0
    return inheritsGroup ? inheritedGroup(parentOf(dir)) : undefined
  }
  const mayGive = (gid: number) => uid === 0 || gid === egid || (process.getgroups?.() ?? []).includes(gid)
  const createdGid = groupOf(disk, tx) ?? egid
  return {
    of({ path, old, new: next }, stats) {
      if (uid === undefined || egid === undefined || next === null) return undefined
      const isKept = old !== null && stats !== undefined
      const gid = isKept ? Number(stats.gid) : (inheritedGroup(parentOf(path)) ?? egid)
      const owner = { uid: isKept && uid === 0 ? Number(stats.uid) : uid, gid }
      return (owner.uid === uid && gid === createdGid) || !mayGive(gid) ? undefined : owner
    },
    inheritsGroup: (path) => inheritedGroup(parentOf(path)) !== undefined,
  }
}

/** The group of a set-group-id directory; undefined without the bit. */
function groupOf(disk: Disk, dir: string): number | undefined {
  const stats = disk.lstat(dir)
  return stats !== undefined && (Number(stats.mode) & SETGID) !== 0 ? Number(stats.gid) : undefined
}
