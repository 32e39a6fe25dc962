/** Reads that must not follow a link, block on a FIFO, or hold a whole file in memory. */
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import { resolve } from 'node:path'
import { codeOf, type Digest, fsError, openRegular, readRegular } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'

// Shared: everything here is synchronous, and a buffer for each file costs more than its hash.
const CHUNK = Buffer.allocUnsafeSlow(1 << 18)

/** Returns the digest of a regular file's bytes, read in chunks. Throws ELOOP on a symlink, EINVAL on anything but a file. */
export function digestFile(path: string): Digest {
  const fd = openRegular(path, false)
  try {
    const hash = createHash('sha256')
    for (;;) {
      const length = readSync(fd, CHUNK, 0, CHUNK.length, null)
      if (length === 0) return `sha256:${hash.digest('hex')}`
      hash.update(CHUNK.subarray(0, length))
    }
  } finally {
    closeSync(fd)
  }
}

/** Returns a regular file's bytes. Throws ELOOP on a symlink, EINVAL on anything but a file. */
export function readWhole(path: string): Buffer {
  return readRegular(path, false)
}

/** Returns the text of a small file of escrowfs. Throws EFBIG above the limit in bytes, EINVAL for anything but a file. */
export function readSmall(path: string, limit: number): string {
  const fd = openRegular(path, true)
  try {
    if (fstatSync(fd).size > limit) throw fsError('EFBIG', 'open', path, undefined, `longer than ${limit} bytes`)
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

/** Returns the first bytes of a file as text; '' when it is absent. */
export function readStart(path: string, bytes: number): string {
  let fd: number
  try {
    fd = openRegular(path, false)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  }
  try {
    const start = Buffer.alloc(bytes)
    return start.toString('utf8', 0, readSync(fd, start, 0, bytes, 0))
  } finally {
    closeSync(fd)
  }
}

/** Returns the stats of a path, without following a link; undefined if there is nothing, or a parent is a file. */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/** Returns the result of a read; undefined if this user has no access. */
export function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (codeOf(error) === 'EACCES') return undefined
    throw error
  }
}

/**
 * Returns the result of reading a directory; undefined if it is gone.
 * @throws EscrowError `unsupported` if its name is not UTF-8: nothing in it has a path that a rule could match
 */
export function ifThere<T>(dir: string, read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    if (!dir.includes(NOT_UTF8)) return undefined
    throw new EscrowError('unsupported', `The name of the directory ${dir} is not UTF-8, so its files have no paths.`, {
      hint: 'Rename the directory, or move it out of the workspace.',
      cause: error,
    })
  }
}

/** Node writes it for bytes of a name that are not UTF-8. */
const NOT_UTF8 = '\ufffd'

export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

/** Opens a directory. Throws ENOTDIR on anything else, including a symlink to a directory. */
export function openDirectory(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
}

/** Whether a path, which must exist, leads over no link. The path is absolute. */
export function isPhysical(path: string): boolean {
  return realpathSync.native(path) === resolve(path)
}

/** Whether the path by which a file was opened led over no link. The path is absolute. */
export function isOpenedAt(fd: number, path: string): boolean {
  return process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${fd}`) === path : isPhysical(path)
}

/** Opens a file for reading or for another process. */
export function openFile(path: string): number {
  return openSync(path, constants.O_RDONLY)
}

export { closeSync as closeDescriptor } from 'node:fs'

/** A mounted file system, as this process sees it. */
export interface Mount {
  readonly path: string
  readonly type: string
  readonly isReadOnly: boolean
}

/**
 * Returns the mounts in proc(5): id, parent, device, root, path, options, optional fields up to a dash, type. Throws if they
 * cannot be read.
 */
export function currentMounts(): Mount[] {
  const lines = readFileSync('/proc/self/mountinfo').toString('latin1').split('\n')
  return lines.flatMap((line) => {
    const [, , , , path, options] = line.split(' ')
    const type = / - (\S+)/.exec(line)?.[1]
    if (path === undefined || options === undefined || type === undefined) return []
    return [{ path: unescapeOctal(path), type, isReadOnly: options.split(',').includes('ro') }]
  })
}

/** The kernel escapes white space and backslashes in octal. */
function unescapeOctal(path: string): string {
  const bytes = path.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
  return Buffer.from(bytes, 'latin1').toString()
}

/** Returns the mount points below a directory. Throws as {@link currentMounts} does. */
export function mountsBelow(dir: string): string[] {
  const below = `${realpathSync.native(dir)}/`.replace('//', '/')
  return currentMounts()
    .map(({ path }) => path)
    .filter((path) => path.startsWith(below))
}
