import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isDead, MAX_CARD_BYTES, type ProcessIdentity, thisProcess } from '../os/process.js'
import { readSmall } from '../os/read.js'
import { createFile, makeDir, makeTempDir, removeTree } from '../os/write.js'
import { copyParent } from './scratch-places.js'

const PREFIX = 'escrow-copy-'
/** A file that names the process that uses the copy. Contained commands cannot write it. */
const OWNER = 'owner'

/**
 * Makes the directory of a copy: `tree` for the copy, `tmp` for temporary files of commands. Before, it removes the copies of processes
 * that were killed.
 * @param root the workspace, a physical path
 * @throws EscrowError `unsupported` if there is no place for a copy
 */
export function makeCopyScratch(root: string): string {
  const parent = copyParent(root)
  removeAbandoned(parent)
  const scratch = makeTempDir(`${parent}/${PREFIX}`)
  createFile(join(scratch, OWNER), JSON.stringify(thisProcess()), 0o600, false)
  makeDir(join(scratch, 'tree'))
  makeDir(join(scratch, 'tmp'))
  return scratch
}

function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) if (name.startsWith(PREFIX)) removeIfAbandoned(join(parent, name))
}

function removeIfAbandoned(scratch: string): void {
  try {
    const stats = lstatSync(scratch)
    if (!stats.isDirectory() || stats.uid !== process.geteuid?.()) return
    const owner: ProcessIdentity = JSON.parse(readSmall(join(scratch, OWNER), MAX_CARD_BYTES))
    if (isDead(owner)) removeTree(scratch)
  } catch {
    // Without its owner's name it may be in use. What cannot be removed stays.
  }
}
