import { constants, type Stats } from 'node:fs'
import { readInteger } from './args.js'

/** The rules for changes of a file's attributes: chmod(2), chown(2), utimensat(2). */

/** The uid or gid that means no change. */
const LEAVE = -1
const MAX_ID = 2 ** 32 - 1

export function readId(name: string, value: unknown): number {
  const id = readInteger(name, value, LEAVE, MAX_ID)
  return id === MAX_ID ? LEAVE : id
}

export function isOwner(stats: Pick<Stats, 'uid'> | undefined): boolean {
  const uid = process.getuid?.()
  return uid === undefined || uid === 0 || stats?.uid === uid
}

/** chown(2): only root changes the owner. The owner may set a group that the owner belongs to. */
export function mayChown(stats: Pick<Stats, 'uid'> | undefined, uid: number, gid: number): boolean {
  if (process.getuid?.() === 0) return true
  if (!isOwner(stats)) return false
  const groups = [process.getegid?.(), ...(process.getgroups?.() ?? [])]
  return (uid === LEAVE || uid === process.getuid?.()) && (gid === LEAVE || groups.includes(gid))
}

/**
 * The attributes after a change of owner. Linux clears the set-id bits, for root too, so that no one runs as the old
 * owner.
 */
export function givenTo(
  stats: Stats | undefined,
  uid: number,
  gid: number,
): { uid?: number; gid?: number; mode?: number } {
  const mode = (stats?.mode ?? 0) & 0o7777
  const cleared = SETUID | (mode & GROUP_RUNS ? SETGID : 0)
  return {
    ...(uid !== LEAVE && { uid }),
    ...(gid !== LEAVE && { gid }),
    ...(stats?.isFile() && mode & cleared && { mode: mode & ~cleared }),
  }
}

const SETUID = 0o4000
const SETGID = 0o2000
const GROUP_RUNS = constants.S_IXGRP
