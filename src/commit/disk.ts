import { accessSync, type BigIntStats, constants, existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { codeOf, digest } from '../../overlay/index.js'
import { flushFileSystem } from '../os/flush.js'
import { closeDescriptor, digestFile, openDirectory, readWhole } from '../os/read.js'
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
} from '../os/write.js'

/** Every disk call of a commit in one place, for tests that simulate a crash between them. All throw Node's errors. */
export const realDisk = {
  /** Whether an open directory can be addressed by its descriptor: `/proc/self/fd/N` (Linux). */
  holdsDirectories: process.platform === 'linux' && existsSync('/proc/self/fd'),
  createFile,
  makeDir,
  ensurePrivateDir,
  setMode,
  setOwner,
  /** In seconds. A power cut may lose them: only the content is synced. */
  setTimes,
  symlink: makeSymlink,
  /** Throws EEXIST. A link to a symlink links the symlink itself (see {@link linkInPlace}). */
  link: linkSync,
  rename: renameSync,
  /** Ignores an absent file. */
  unlink: removeName,
  /** Returns false when the directory is not empty. */
  rmdir: removeEmptyDir,
  removeTree,
  syncDir,
  syncFile,
  /** Returns false when the platform has no such call or it failed: the caller syncs each file. */
  flush: flushFileSystem,
  openDir: openDirectory,
  closeDir: closeDescriptor,
  digestFile,
  readFile: readWhole,
  lstat(path: string): BigIntStats | undefined {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  },
  /** Throws EACCES or EROFS if names cannot be added or removed. */
  assertWritable(directory: string): void {
    accessSync(directory, constants.W_OK | constants.X_OK)
  },
  /** A symlink's target as bytes, because it may not be UTF-8. */
  readlink(path: string): Buffer {
    return readlinkSync(path, { encoding: 'buffer' })
  },
  /** An absent directory reads as empty. */
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

/** Links a staged file or symlink to its name in the tree. Throws EEXIST if the name is taken. */
export function linkInPlace(disk: Disk, staged: string, target: string): void {
  // link(2) follows a symlink on macOS and Windows. There a new symlink is made, which is exclusive as well.
  if (process.platform !== 'linux' && disk.lstat(staged)?.isSymbolicLink()) {
    disk.symlink(disk.readlink(staged).toString(), target)
  } else {
    disk.link(staged, target)
  }
}

export function exists(disk: Disk, path: string): boolean {
  return disk.lstat(path) !== undefined
}

/** Whether two names are the same file. */
export function sameInode(disk: Disk, a: string, b: string): boolean {
  return isSameFile(disk.lstat(a), disk.lstat(b))
}

export function isSameFile(one: BigIntStats | undefined, two: BigIntStats | undefined): boolean {
  return one !== undefined && two !== undefined && one.ino === two.ino && one.dev === two.dev
}

export function linkDigest(disk: Disk, path: string): ReturnType<typeof digest> {
  return digest(disk.readlink(path))
}
