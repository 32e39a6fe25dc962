import { codeOf } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { type Layout, ORCHESTRATION } from '../core/layout.js'
import type { Disk } from './disk.js'
import { type Pins, pinTree } from './pin.js'

/**
 * Transaction directories: `.orchestration/tx/<name>`, one for each commit attempt. They are in the workspace because a
 * rename works only within one file system. Any process can write there, so a transaction directory is valid only when
 * the journal names it, and it is reached from the root without following a link.
 */

const TX = `${ORCHESTRATION}/tx`

/** An open transaction directory. */
export interface HeldTx {
  /** Its address, valid until it is closed. */
  readonly dir: string
  /** Its inode number, which distinguishes it from another directory under its name. */
  readonly inode: string
  close(): void
}

/** Makes `.orchestration/tx` if it is missing. Throws EscrowError `path_escape` if it is a link or a file. */
export function ensureTxParent(disk: Disk, pins: Pins, layout: Layout): void {
  if (disk.lstat(`${pins.at('')}/${ORCHESTRATION}`) === undefined) disk.makeDir(`${pins.at('')}/${ORCHESTRATION}`)
  const parent = namePath(`${layout.root}/${ORCHESTRATION}`, () => pins.at(ORCHESTRATION))
  if (disk.lstat(`${parent}/tx`) === undefined) {
    disk.makeDir(`${parent}/tx`, 0o700)
    disk.syncDir(parent)
    disk.syncDir(pins.at(''))
  }
  namePath(layout.tx, () => pins.at(TX))
}

/** The file system of transactions, in the format of {@link Pins.device}. */
export function txDevice(pins: Pins): string {
  return pins.device(TX)
}

/** Makes the names of the transaction directories durable. */
export function syncTxParent(disk: Disk, layout: Layout): void {
  const pins = pinTree(disk, layout.root)
  try {
    disk.syncDir(pins.at(TX))
  } finally {
    pins.close()
  }
}

/** The address of `.orchestration/tx`, valid until the next call of `pins`. */
export function txParent(pins: Pins): string {
  return `${pins.at(TX)}/.`
}

/** Makes a new transaction directory. Throws EEXIST if the name is taken. */
export function makeTx(disk: Disk, layout: Layout, name: string): HeldTx {
  const pins = pinTree(disk, layout.root)
  try {
    disk.makeDir(`${pins.at(TX)}/${name}`, 0o700)
    return holdTx(disk, pins, name)
  } catch (error) {
    pins.close()
    throw error
  }
}

/** Opens a transaction directory. Undefined if it is missing, or if something else has its name. */
export function openTx(disk: Disk, layout: Layout, name: string, inode?: string): HeldTx | undefined {
  const pins = pinTree(disk, layout.root)
  let tx: HeldTx | undefined
  try {
    tx = holdTx(disk, pins, name)
  } catch (error) {
    if (!NOT_THERE.has(codeOf(error) ?? '')) throw error
  } finally {
    if (tx === undefined) pins.close()
  }
  if (tx === undefined || inode === undefined || tx.inode === inode) return tx
  tx.close()
  return undefined
}

/** Removes a transaction directory and its content. Ignores an absent one. */
export function removeTx(disk: Disk, layout: Layout, name: string): void {
  const tx = openTx(disk, layout, name)
  if (tx === undefined) return
  tx.close()
  const pins = pinTree(disk, layout.root)
  try {
    disk.removeTree(`${pins.at(TX)}/${name}`)
  } finally {
    pins.close()
  }
}

function holdTx(disk: Disk, pins: Pins, name: string): HeldTx {
  const dir = pins.at(`${TX}/${name}`)
  return { dir, inode: String(disk.lstat(`${dir}/.`)?.ino), close: () => pins.close() }
}

const NOT_THERE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP'])

function namePath<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (codeOf(error) !== 'ENOTDIR' && codeOf(error) !== 'ELOOP') throw error
    throw new EscrowError('path_escape', `${path} is a link or not a directory, so nothing can be committed.`, {
      hint: 'Remove it, then commit again.',
    })
  }
}
