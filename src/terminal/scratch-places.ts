import { realpathSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isWithin } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { keepsFineTimes } from '../os/fine-times.js'
import { isInMemory } from '../os/flush.js'

/** The places for files that live as long as a session's commands. */

/**
 * A directory for the layers outside the workspace, whose mount would cover them.
 * @throws EscrowError `unsupported` if there is none
 */
export function scratchParent(root: string): string {
  return firstOutside(root, () => true, `There is no directory for temporary files outside ${root}`)
}

/**
 * A directory for copies of the workspace, where every change of a file changes its time. On tmpfs, a write through a mapping changes none
 * if the page was read before. With whole seconds, a change in the second of the copy changes none.
 * @throws EscrowError `unsupported` if there is none
 */
export function copyParent(root: string): string {
  return firstOutside(root, showsChanges, UNFIT)
}

/** Whether copies have a place on this machine. */
export function hasCopyParent(): boolean {
  return scratchDirs().some(showsChanges)
}

function showsChanges(dir: string): boolean {
  return !isInMemory(dir) && keepsFineTimes(dir)
}

export const UNFIT =
  'All directories for temporary files outside the workspace are in memory, or on file systems that keep whole seconds'

function firstOutside(root: string, isFit: (path: string) => boolean, problem: string): string {
  const place = scratchDirs().find((path) => !isWithin(path, root) && isFit(path))
  if (place === undefined) throw new EscrowError('unsupported', `${problem}.`, { hint: SET_TMPDIR })
  return place
}

export const SET_TMPDIR =
  'Set TMPDIR to a directory outside the workspace, on a disk whose file system keeps fractions of seconds, such as ext4, XFS or Btrfs.'

function scratchDirs(): string[] {
  return [tmpdir(), '/tmp', '/var/tmp', '/dev/shm']
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory())
    .map((path) => realpathSync(path))
}
