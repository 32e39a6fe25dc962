// Long because: all changes of the disk are here.
/**
 * The only module, apart from overlay/stage-log.ts, that changes the disk. All calls are synchronous: the callers hold
 * locks or run in a worker, and sync calls are 1.8 times as fast as async ones here.
 */
import {
  chmodSync as changeModeSync,
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
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { codeOf, Errno, invalidateTick, openForReading, openRegular } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { namePath } from '../core/errno-advice.js'
import { isDiskFull } from './disk-full.js'
import { isOpenedAt } from './read.js'

export { chmodSync, linkSync, renameSync } from 'node:fs'

/** Writes all bytes. Retries a short write (a full disk) until the kernel reports the error. */
function writeAll(fd: number, data: Uint8Array, at?: number): void {
  let done = 0
  while (done < data.length) done += writeSync(fd, data, done, data.length - done, at === undefined ? null : at + done)
}

/** Creates a new file with its exact mode, and syncs it. Throws EEXIST. Leaves no file if it fails. */
export function createDurable(path: string, data: Uint8Array | string, mode = 0o600): void {
  createFile(path, data, mode, true)
}

/** Numeric ids, as for `chown`. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/**
 * As {@link createDurable}. Without `sync`, the caller later flushes many files at once.
 * @param owner set if it is not the current user
 */
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
  } catch (error) {
    rmSync(path, { force: true })
    throw namePath(error, path)
  } finally {
    closeSync(fd)
  }
  invalidateTick()
}

/** Appends in one write and syncs. Truncates the file at `truncateTo` first, which cuts a torn end. */
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

/** Appends in one write, without a sync. `mode` is for a file that it creates. */
export function appendOnto(path: string, data: string, mode: number): void {
  appendByName(path, data, mode)
}

/** Overwrites a file in place, without a sync: a concurrent reader may see a part of it. Throws ENOENT. */
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
 * @returns the file's new size; undefined if another file has got its name in the meantime, so that the bytes may be
 * lost
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

/** Opens a file for {@link extendFile}, and creates it if it is absent. Throws ELOOP on a symlink. */
export function openToExtend(path: string): number {
  const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  return openSync(path, flags, 0o644)
}

/**
 * Writes bytes at `end`, truncates the file after them, and syncs. Two writers of the same bytes leave one copy,
 * however late the second one is. Bytes of a write that fails, as on a full disk, are cut off again.
 * @param size the file's size when `end` was determined; larger than `end` if a torn end is overwritten
 * @returns false, with nothing written, if it has another size by now
 */
export function extendFile(fd: number, data: Uint8Array, end: number, size: number): boolean {
  if (fstatSync(fd).size !== size) return false
  try {
    writeAll(fd, data, end)
    if (size > end + data.length) ftruncateSync(fd, end + data.length)
    fsyncSync(fd)
  } catch (error) {
    if (size === end && fstatSync(fd).size <= end + data.length) ftruncateSync(fd, end)
    throw error
  }
  return true
}

/** Replaces a whole file: exclusive temporary file beside it, sync, rename, sync of the directory. */
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

/** Links a written file to its public name. Returns false if the name is taken. */
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
  syncOpened(openSync(path, 'r'))
}

/** Makes a directory's names durable. Windows has no such call: there only process crashes are covered. */
export function syncDir(path: string): void {
  if (process.platform !== 'win32') syncOpened(openSync(path, constants.O_RDONLY | constants.O_DIRECTORY))
}

function syncOpened(fd: number): void {
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/**
 * Copies a file to a free name. Shares its blocks if the file system supports it (FICLONE), else copies the bytes. Holes stay holes,
 * because a disk image can be larger than the free space.
 * @param isPhysicalPath whether `from` is absolute, and no directory on the way to it may be a link
 * @throws ELOOP for a link, EINVAL for a directory or a FIFO, ENXIO for a socket: another program may have replaced the file
 */
export function cloneFile(from: string, to: string, isPhysicalPath = false): void {
  const source = openRegular(from, false)
  try {
    if (isPhysicalPath && !isOpenedAt(source, from)) throw new Errno('ELOOP')
    const { blocks, size } = fstatSync(source)
    const hasHoles = blocks * BLOCK < size
    const how = hasHoles ? constants.COPYFILE_FICLONE_FORCE : constants.COPYFILE_FICLONE
    // The name of the descriptor is that of the file which was checked.
    const opened = process.platform === 'linux' ? `/proc/self/fd/${source}` : from
    try {
      copyFileSync(opened, to, how | constants.COPYFILE_EXCL)
    } catch (error) {
      if (!hasHoles) throw error
      copySparse(source, to)
    }
  } finally {
    closeSync(source)
  }
}

/** The unit of the number of blocks in a file's status. */
const BLOCK = 512
const CHUNK = 1 << 20

function copySparse(source: number, to: string): void {
  const target = openSync(to, 'wx', 0o600)
  try {
    const chunk = Buffer.allocUnsafe(CHUNK)
    const zeros = Buffer.alloc(CHUNK)
    let end = 0
    for (let read = -1; read !== 0; end += read) {
      read = readSync(source, chunk, 0, CHUNK, end)
      const data = chunk.subarray(0, read)
      if (!data.equals(zeros.subarray(0, read))) writeAll(target, data, end)
    }
    ftruncateSync(target, end)
  } finally {
    closeSync(target)
  }
}

/**
 * mkdir -p. Returns the first directory it made. Node's own recursive form never ends where the system says that an existing parent is
 * absent, as in `/proc`.
 * @throws ENOENT there, ENOTDIR or EEXIST where a file is in the way
 */
export function ensureDir(path: string, mode = 0o777): string | undefined {
  try {
    return tryDir(path, mode)
  } catch (error) {
    const parent = dirname(path)
    if (codeOf(error) !== 'ENOENT' || parent === path) throw error
    const first = ensureDir(parent, mode)
    const last = tryDir(path, mode)
    return first ?? last
  }
}

/** mkdir of one directory, which may be there. Returns the path if it made it. */
function tryDir(path: string, mode: number): string | undefined {
  try {
    mkdirSync(path, mode)
    return path
  } catch (error) {
    // Some systems report a read-only file system before they look.
    if (codeOf(error) !== 'ENOENT' && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined
    throw error
  }
}

/** mkdir of one directory. Throws EEXIST. */
export function makeDir(path: string, mode = 0o777): void {
  mkdirSync(path, mode)
}

/**
 * Makes a directory in a state directory, with missing parents, for its owner only.
 * @returns the first one it made
 */
export function ensurePrivateDir(path: string): string | undefined {
  return ensureDir(path, 0o700)
}

/** Makes a new directory of our own, whose name starts with `prefix`. @throws EscrowError `unsupported` where that fails */
export function makeTempDir(prefix: string): string {
  try {
    return mkdtempSync(prefix)
  } catch (cause) {
    const problem = `A temporary directory cannot be created in ${dirname(prefix)}: ${codeOf(cause)}.`
    const hint = isDiskFull(cause) ? 'Free space on its disk.' : 'Set TMPDIR to a directory that you can write to.'
    throw new EscrowError('unsupported', problem, { hint, cause })
  }
}

/** Sets access and modification time in seconds. Does not follow a symlink. */
export function setTimes(path: string, atime: number, mtime: number): void {
  lutimesSync(path, atime, mtime)
}

/** Removes a file or tree of our own. Ignores an absent one. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch (error) {
    if (!REFUSALS.has(codeOf(error))) throw error
    removeClosed(Buffer.from(path))
  }
}

/** The errors of a directory that its owner may not change, or that has a name which is not UTF-8. */
const REFUSALS: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'ENOTEMPTY'])

/** Removes a tree with directories that may not be read or changed, and with names of any bytes. */
function removeClosed(path: Buffer): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats?.isDirectory()) {
    rmSync(path, { force: true })
    return
  }
  if ((stats.mode & 0o700) !== 0o700) changeModeSync(path, 0o700)
  for (const name of readdirSync(path, { encoding: 'buffer' })) removeClosed(Buffer.concat([path, SLASH, name]))
  rmdirSync(path)
}

const SLASH = Buffer.from('/')

/** As {@link removeTree}, for a name that is not UTF-8. */
export function removeTreeAt(path: Buffer): void {
  rmSync(path, { recursive: true, force: true })
}

/** Unlinks a name. Ignores an absent one. */
export function removeName(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** Removes an empty directory. Returns whether it is gone. */
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

/** The calls by which proper-lockfile keeps a lock, which is a directory. @param mayRemove whether the lock is its own */
export function lockCalls(mayRemove: () => boolean) {
  return { mkdirSync, statSync, utimesSync, rmdirSync: (path: string) => mayRemove() && rmdirSync(path) }
}

/** chown of a name. Does not follow a symlink. Throws EPERM without the right. */
export function setOwner(path: string, { uid, gid }: Owner): void {
  lchownSync(path, uid, gid)
}

export function makeSymlink(target: string, path: string): void {
  symlinkSync(target, path)
}

/** chmod of a file or directory, synced. Does not follow a symlink (ELOOP). */
export function setMode(path: string, mode: number): void {
  const fd = openForReading(path, false)
  try {
    fchmodSync(fd, mode)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
