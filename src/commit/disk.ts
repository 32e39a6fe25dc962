import { accessSync, type BigIntStats, constants, existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { codeOf, digest } from '../../overlay/index.js'
import { flushFileSystem } from '../host/flush.js'
import { closeDescriptor, digestFile, openDirectory, readWhole } from '../host/read.js'
import {
  createFile,
  ensurePrivateDir,
  linkSync,
  makeDir,
  makeSymlink,
  removeEmptyDir,
  removeName,
  removeTree,
  renameSync,
  setMode,
  setOwner,
  setTimes,
  syncDir,
  syncFile,
} from '../host/write.js'

/** Every call a commit makes to the disk, in one place: what a crash can fall between. All throw Node's errors. */
export const realDisk = {
  /** Whether an open directory has an address: `/proc/self/fd/N` (Linux). */
  holdsDirectories: process.platform === 'linux' && existsSync('/proc/self/fd'),
  createFile,
  makeDir,
  ensurePrivateDir,
  setMode,
  setOwner,
  /** Seconds. A power cut may take them: only the content is waited for. */
  setTimes,
  symlink: makeSymlink,
  /** Throws EEXIST. A second name for a symlink is a name for the link itself (see {@link linkInPlace}). */
  link: linkSync,
  rename: renameSync,
  /** Absent is fine. */
  unlink: removeName,
  /** False when it is not empty. */
  rmdir: removeEmptyDir,
  removeTree,
  syncDir,
  syncFile,
  /** False when the platform has no such call or it failed: sync one by one. */
  flush: flushFileSystem,
  openDir: openDirectory,
  closeDir: closeDescriptor,
  digestFile,
  readFile: readWhole,
  lstat(path: string): BigIntStats | undefined {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  },
  /** Throws EACCES or EROFS where names cannot be added or taken away. */
  assertWritable(directory: string): void {
    accessSync(directory, constants.W_OK | constants.X_OK)
  },
  /** A symlink's target, as bytes: it need not be UTF-8. */
  readlink(path: string): Buffer {
    return readlinkSync(path, { encoding: 'buffer' })
  },
  /** An absent directory has no names. */
  readdir(path: string): string[] {
    try {
      return readdirSync(path)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return []
      throw error
    }
  },
}

export type Disk = typeof realDisk

/** Gives a staged file or symlink its name in the tree unless the name is taken (EEXIST). */
export function linkInPlace(disk: Disk, staged: string, target: string): void {
  // link(2) follows a symlink on macOS and Windows, so there it is made anew: exclusive as well.
  if (process.platform !== 'linux' && disk.lstat(staged)?.isSymbolicLink()) {
    disk.symlink(disk.readlink(staged).toString(), target)
  } else {
    disk.link(staged, target)
  }
}

export function exists(disk: Disk, path: string): boolean {
  return disk.lstat(path) !== undefined
}

/** True when two names are one file. */
export function sameInode(disk: Disk, a: string, b: string): boolean {
  return isSameFile(disk.lstat(a), disk.lstat(b))
}

export function isSameFile(one: BigIntStats | undefined, two: BigIntStats | undefined): boolean {
  return one !== undefined && two !== undefined && one.ino === two.ino && one.dev === two.dev
}

export function linkDigest(disk: Disk, path: string): ReturnType<typeof digest> {
  return digest(disk.readlink(path))
}
