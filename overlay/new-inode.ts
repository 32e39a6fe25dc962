import { constants } from 'node:fs'
import type { NewInode } from './stage-edit.js'
import { memoizePerTick } from './tick.js'

const SETGID = 0o2000

/** The attributes of a directory that new entries inherit. */
export interface Parent {
  readonly mode: number
  readonly gid: number
}

/**
 * Returns the first attributes of a new entry: the current user's, and in a directory with the set-group-id bit its
 * group, plus the bit for a directory (Linux's inode_init_owner). A file loses the bit if it would run as a group that
 * its creator is not in.
 */
export function newInode(type: 'file' | 'dir' | 'symlink', mode: number, parent: Parent | undefined): NewInode {
  const fields = { mode, ...ownIds() }
  if (parent === undefined || (parent.mode & SETGID) === 0) return fields
  const { gid } = parent
  if (type === 'dir') return { ...fields, gid, mode: mode | SETGID }
  const runsAsGroup = type === 'file' && (mode & SETGID) !== 0 && (mode & constants.S_IXGRP) !== 0
  return { ...fields, gid, mode: runsAsGroup && !isInGroup(gid) ? mode & ~SETGID : mode }
}

const ownIds = memoizePerTick(() => ({ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }))

function isInGroup(gid: number): boolean {
  return process.getuid?.() === 0 || process.getegid?.() === gid || (process.getgroups?.() ?? []).includes(gid)
}
