/**
 * The only room, beside overlay/stage-log.ts, that changes the disk. Everything is synchronous: the callers hold locks
 * or run in a worker, and sync calls beat async ones by 1.8× here.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lchownSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { codeOf, invalidateTick, openForReading } from '../../overlay/index.js'

export { chmodSync, linkSync, renameSync } from 'node:fs'

/** Writes all bytes; a short write (a full disk) is retried until the kernel names the error. */
function writeAll(fd: number, data: Uint8Array): void {
  let done = 0
  while (done < data.length) done += writeSync(fd, data, done, data.length - done)
}

/** Creates a file that must not exist, with its exact mode, and syncs it. Throws EEXIST. */
export function createDurable(path: string, data: Uint8Array | string, mode = 0o600): void {
  createFile(path, data, mode, true)
}

/** Numeric ids, as `chown` takes them. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** As {@link createDurable}; without `sync` the caller flushes later, many files at once. `owner`: unless our own. */
export function createFile(
  path: string,
  data: Uint8Array | string,
  mode: number,
  sync: boolean,
  owner?: Owner | undefined,
): void {
  const fd = openSync(path, 'wx', mode)
  try {
    writeAll(fd, typeof data === 'string' ? Buffer.from(data) : data)
    if (owner !== undefined) fchownSync(fd, owner.uid, owner.gid)
    if ((mode & process.umask()) !== 0) fchmodSync(fd, mode)
    if (sync) fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  invalidateTick()
}

/** Appends in one write and syncs. `truncateTo` first cuts the file there (a torn tail). */
export function appendDurable(path: string, data: Uint8Array | string, truncateTo?: number): void {
  const fd = openSync(path, 'a', 0o644)
  try {
    if (truncateTo !== undefined) ftruncateSync(fd, truncateTo)
    writeAll(fd, typeof data === 'string' ? Buffer.from(data) : data)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Appends in one write, unsynced. A file made by it has that mode, its owner's alone. */
export function appendOnto(path: string, data: string, mode: number): void {
  const fd = openSync(path, 'a', mode)
  try {
    writeAll(fd, Buffer.from(data))
  } finally {
    closeSync(fd)
  }
}

/** Replaces the content of a file in place, unsynced: whoever reads meanwhile may see a part of it. Throws ENOENT. */
export function overwrite(path: string, data: string): void {
  const fd = openSync(path, constants.O_WRONLY | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0))
  try {
    writeAll(fd, Buffer.from(data))
  } finally {
    closeSync(fd)
  }
}

/**
 * As {@link appendOnto}.
 * @returns the file's size then; undefined where another file has taken its name meanwhile, so that nobody may ever read
 * what was written.
 */
export function appendByName(path: string, data: string, mode: number): number | undefined {
  const fd = openSync(path, 'a', mode)
  try {
    writeAll(fd, Buffer.from(data))
    const [written, named] = [fstatSync(fd), statSync(path, { throwIfNoEntry: false })]
    return named?.ino === written.ino && named.dev === written.dev ? written.size : undefined
  } finally {
    closeSync(fd)
  }
}

/** Opens a file to be extended by {@link extendFile}, and creates it where there is none. Throws ELOOP on a symlink. */
export function openToExtend(path: string): number {
  const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  return openSync(path, flags, 0o644)
}

/**
 * Writes what belongs at byte `end` and ends the file there, and syncs. Two writers that bring the same bytes leave one
 * copy of them, however late the second comes.
 * @param size how long the file was when `end` was found: more than `end` where a torn rest is to be written over.
 * @returns false, with nothing written, if it has another length by now.
 */
export function extendFile(fd: number, data: Uint8Array, end: number, size: number): boolean {
  if (fstatSync(fd).size !== size) return false
  let done = 0
  while (done < data.length) done += writeSync(fd, data, done, data.length - done, end + done)
  if (size > end + data.length) ftruncateSync(fd, end + data.length)
  fsyncSync(fd)
  return true
}

/** Replaces a file whole: exclusive temporary beside it, sync, rename, sync of the directory. */
export function replaceDurable(path: string, data: Uint8Array | string, mode = 0o644): void {
  const temporary = `${path}.${process.pid}.${Date.now().toString(36)}.tmp`
  try {
    createDurable(temporary, data, mode)
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  invalidateTick()
  syncDir(path.slice(0, path.lastIndexOf('/')) || '/')
}

/** Gives a written file its public name unless the name is taken: true if we were first. */
export function publish(written: string, name: string): boolean {
  try {
    linkSync(written, name)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

export function syncFile(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Makes a directory's names durable. Windows has no such call; there the promise is process crash only. */
export function syncDir(path: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Copies a file to a name that is free: sharing its blocks where the disk can (FICLONE), byte by byte elsewhere. */
export function cloneFile(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
}

/** mkdir -p. Returns the first directory it had to make. */
export function ensureDir(path: string, mode = 0o777): string | undefined {
  return mkdirSync(path, { recursive: true, mode })
}

/** mkdir of one directory. Throws EEXIST. */
export function makeDir(path: string, mode = 0o777): void {
  mkdirSync(path, mode)
}

/**
 * Makes a directory of a state directory, and those above it that are missing, for their owner alone.
 * @returns the first one it had to make.
 */
export function ensurePrivateDir(path: string): string | undefined {
  return mkdirSync(path, { recursive: true, mode: 0o700 })
}

/** Makes a directory of our own with a name that nobody has; `prefix` is the name's beginning. */
export function makeTempDir(prefix: string): string {
  return mkdtempSync(prefix)
}

/** Sets access and modification time (seconds), of a symlink itself. */
export function setTimes(path: string, atime: number, mtime: number): void {
  lutimesSync(path, atime, mtime)
}

/** Removes a file or tree of our own; absent is fine. */
export function removeTree(path: string): void {
  rmSync(path, { recursive: true, force: true })
}

/** As {@link removeTree}, for a name that is no UTF-8. */
export function removeTreeAt(path: Buffer): void {
  rmSync(path, { recursive: true, force: true })
}

/** Unlinks a name; absent is fine. */
export function removeName(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** Removes a directory if it is empty: true if it is gone afterwards. */
export function removeEmptyDir(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return true
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false
    throw error
  }
}

/** chown of a name, never through a symlink. Throws EPERM where only another user could. */
export function setOwner(path: string, { uid, gid }: Owner): void {
  lchownSync(path, uid, gid)
}

export function makeSymlink(target: string, path: string): void {
  symlinkSync(target, path)
}

/** chmod of a file or directory, never through a symlink (ELOOP), and synced. */
export function setMode(path: string, mode: number): void {
  const fd = openForReading(path, false)
  try {
    fchmodSync(fd, mode)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
