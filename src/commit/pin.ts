import { readFileSync, readlinkSync } from 'node:fs'
import { Errno } from '../../overlay/index.js'
import { mountsBelow } from '../os/read.js'
import type { Disk } from './disk.js'

/**
 * Real directories of the tree, pinned while a commit checks and applies.
 *
 * On Linux each is an open descriptor, reached from the root one component at a time without following a link, and
 * addressed as `/proc/self/fd/N`: replacing a parent by a symlink afterwards has no effect on us. Other systems have no
 * such name, so each use checks every component again. That is weaker: a swap between check and use is not noticed.
 */
export interface Pins {
  /**
   * The directory's address, valid until the next call. `''` is the root.
   * Throws ENOENT when absent, ENOTDIR or ELOOP when a component is a symlink or no directory.
   */
  at(dir: string): string
  /** The mounted file system it is on: links and renames work only within one. */
  device(dir: string): string
  /** The pinned directories that are no longer at their path. */
  movedDirectories(): string[]
  close(): void
}

/** How many descriptors are open at a time. A directory beyond that is opened again from the root. */
const MAX_OPEN = 256

export function pinTree(disk: Disk, root: string): Pins {
  return disk.holdsDirectories ? heldPins(disk, root) : checkedPins(disk, root)
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function heldPins(disk: Disk, root: string): Pins {
  const held = new Map<string, number>()
  let rootPath = ''
  const isOneMount = !hasMountBelow(root)
  let rootMount: string | undefined
  let last: { readonly dir: string; readonly address: string } | undefined
  const letGo = (dir: string, fd: number) => {
    held.delete(dir)
    disk.closeDir(fd)
  }
  const hold = (dir: string): number => {
    const known = held.get(dir)
    if (known !== undefined) {
      held.delete(dir)
      held.set(dir, known)
      return known
    }
    const from = dir === '' ? root : `${fdPath(hold(parentOf(dir)))}/${nameOf(dir)}`
    const fd = disk.openDir(from)
    held.set(dir, fd)
    if (dir === '') rootPath = readlinkSync(fdPath(fd))
    for (const [oldest, its] of held) {
      if (held.size <= MAX_OPEN) break
      if (oldest !== '' && oldest !== dir) letGo(oldest, its)
    }
    return fd
  }
  return {
    at: (dir) => {
      // Changes are ordered by directory, so the last one is often asked for again.
      if (last?.dir !== dir || !held.has(dir)) last = { dir, address: fdPath(hold(dir)) }
      return last.address
    },
    device: (dir) => {
      const fd = hold(dir)
      // Two mounts of one device share st_dev, and links between them still fail.
      if (isOneMount) rootMount ??= mountOf(hold(''))
      return `${disk.lstat(`${fdPath(fd)}/.`)?.dev} ${rootMount ?? mountOf(fd)}`
    },
    movedDirectories: () => {
      const at = (dir: string) => (dir === '' ? rootPath : `${rootPath === '/' ? '' : rootPath}/${dir}`)
      return [...held].filter(([dir, fd]) => readlinkSync(fdPath(fd)) !== at(dir)).map(([dir]) => dir)
    },
    close: () => {
      for (const [dir, fd] of held) letGo(dir, fd)
    },
  }
}

function mountOf(fd: number): string | undefined {
  return /^mnt_id:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1]
}

/** Whether a file system is mounted below a directory. True also if that is unknown. */
function hasMountBelow(root: string): boolean {
  try {
    return mountsBelow(root).length > 0
  } catch {
    return true
  }
}

function fdPath(fd: number): string {
  return `/proc/self/fd/${fd}`
}

function checkedPins(disk: Disk, root: string): Pins {
  const at = (dir: string): string => {
    let path = root
    for (const name of dir === '' ? [] : dir.split('/')) {
      path = `${path}/${name}`
      const stats = disk.lstat(path)
      if (stats === undefined) throw new Errno('ENOENT')
      if (!stats.isDirectory()) throw new Errno('ENOTDIR')
    }
    return path
  }
  return {
    at,
    device: (dir) => String(disk.lstat(`${at(dir)}/.`)?.dev),
    movedDirectories: () => [],
    close: () => undefined,
  }
}
