import type { BigIntStats } from 'node:fs'
import type { Owner } from '../host/write.js'
import type { Disk } from './disk.js'
import { type Pins, parentOf } from './pin.js'
import type { TargetDirs } from './target-dirs.js'
import type { CommitEntry } from './types.js'

const SETGID = 0o2000

/** Whom what a commit makes is to belong to. */
export interface Ownership {
  /** Undefined where our own directory, in which all of it is made, gives that by itself. */
  of(entry: Pick<CommitEntry, 'path' | 'old' | 'new'>, stats: BigIntStats | undefined): Owner | undefined
  /** True where a directory made at `path` hands its group down, as its parent does. */
  isHanding(path: string): boolean
}

/**
 * A file that is replaced keeps its owner where root commits, and its group where who commits is in it. Something new has
 * the group its directory hands down (Linux's inode_init_owner), else that of who commits.
 * @param tx the directory in which all of it is made
 */
export function ownership(
  { disk, pins, ground }: { disk: Disk; pins: Pins; ground: TargetDirs },
  entries: readonly CommitEntry[],
  tx: string,
): Ownership {
  const [uid, own] = [process.geteuid?.(), process.getegid?.()]
  const made = new Map(entries.filter(({ op }) => op === 'mkdir').map((entry) => [entry.path, entry.new?.mode ?? 0]))
  const known = new Map<string, number | undefined>()
  const handedIn = (dir: string): number | undefined => {
    if (!known.has(dir)) known.set(dir, ground.at(dir) === 'real' ? groupOf(disk, `${pins.at(dir)}/.`) : ofNew(dir))
    return known.get(dir)
  }
  /** A new directory hands down what it was handed, unless its own mode has no such bit. */
  const ofNew = (dir: string) => {
    const isHanding = ground.implied.has(dir) || ((made.get(dir) ?? 0) & SETGID) !== 0
    return isHanding ? handedIn(parentOf(dir)) : undefined
  }
  const mayGive = (gid: number) => uid === 0 || gid === own || (process.getgroups?.() ?? []).includes(gid)
  const given = groupOf(disk, tx) ?? own
  return {
    of({ path, old, new: next }, stats) {
      if (uid === undefined || own === undefined || next === null) return undefined
      const isKept = old !== null && stats !== undefined
      const gid = isKept ? Number(stats.gid) : (handedIn(parentOf(path)) ?? own)
      const owner = { uid: isKept && uid === 0 ? Number(stats.uid) : uid, gid }
      return (owner.uid === uid && gid === given) || !mayGive(gid) ? undefined : owner
    },
    isHanding: (path) => handedIn(parentOf(path)) !== undefined,
  }
}

/** The group a directory hands down; undefined where it hands none. */
function groupOf(disk: Disk, dir: string): number | undefined {
  const stats = disk.lstat(dir)
  return stats !== undefined && (Number(stats.mode) & SETGID) !== 0 ? Number(stats.gid) : undefined
}
