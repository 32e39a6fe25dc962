import { realpathSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isWithin } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
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
 * A directory on a disk for copies of the workspace. On tmpfs, a write through a mapping changes no time if the page was read
 * before, so a changed copy would look unchanged.
 * @throws EscrowError `unsupported` if there is none
 */
export function copyParent(root: string): string {
  return firstOutside(root, (path) => !isInMemory(path), IN_MEMORY)
}

/** Whether copies have a place on this machine. */
export function hasCopyParent(): boolean {
  return scratchDirs().some((path) => !isInMemory(path))
}

export const IN_MEMORY = 'All directories for temporary files outside the workspace are in memory'

function firstOutside(root: string, isFit: (path: string) => boolean, problem: string): string {
  const place = scratchDirs().find((path) => !isWithin(path, root) && isFit(path))
  if (place === undefined) throw new EscrowError('unsupported', `${problem}.`, { hint: SET_TMPDIR })
  return place
}

export const SET_TMPDIR = 'Set TMPDIR to a directory on a disk, outside the workspace.'

function scratchDirs(): string[] {
  return [tmpdir(), '/tmp', '/var/tmp', '/dev/shm']
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory())
    .map((path) => realpathSync(path))
}
