import { constants, type Stats } from 'node:fs'
import { readInteger } from './args.js'

/** Who may change a file's attributes, by its present ones: chmod(2), chown(2), utimensat(2). */

/** uid or gid to leave as it is. */
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

/** chown(2): only root gives a file away; its owner may give it to a group of the owner's own. */
export function mayChown(stats: Pick<Stats, 'uid'> | undefined, uid: number, gid: number): boolean {
  if (process.getuid?.() === 0) return true
  if (!isOwner(stats)) return false
  const groups = [process.getegid?.(), ...(process.getgroups?.() ?? [])]
  return (uid === LEAVE || uid === process.getuid?.()) && (gid === LEAVE || groups.includes(gid))
}

/** The attributes of a change of owner. A new owner must not run as the old one: Linux clears those bits, for root too. */
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
