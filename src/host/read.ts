/** Reads of the disk that must not follow a link, hang on a FIFO, or hold a whole file in memory. */
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import { codeOf, type Digest, fsError, openRegular, readRegular } from '../../overlay/index.js'

// One for all: everything here is synchronous, and a buffer for each file costs more than its hash.
const CHUNK = Buffer.allocUnsafeSlow(1 << 18)

/** The digest of a regular file's bytes, read a piece at a time. Throws ELOOP on a symlink, EINVAL on what is no file. */
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

/** A regular file's bytes. Throws ELOOP on a symlink, EINVAL on what is no file. */
export function readWhole(path: string): Buffer {
  return readRegular(path, false)
}

/** A small file of our own. Throws EFBIG where it is longer than that many bytes, EINVAL where it is no file. */
export function readSmall(path: string, limit: number): string {
  const fd = openRegular(path, true)
  try {
    if (fstatSync(fd).size > limit) throw fsError('EFBIG', 'open', path, undefined, `longer than ${limit} bytes`)
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

/** The first bytes of a file as text; '' when it is gone. */
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

/** What stands at a path, which is no link followed; undefined where nothing does, or where a file stands on the way. */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

/** Opens a directory to hold it. Throws ENOTDIR on anything else, a symlink to a directory included. */
export function openDirectory(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
}

/** Opens a file to read it or to hand it to another process. */
export function openFile(path: string): number {
  return openSync(path, constants.O_RDONLY)
}

export { closeSync as closeDescriptor } from 'node:fs'

/** Something that is mounted, as this process sees it. */
export interface Mount {
  readonly path: string
  readonly type: string
  readonly isReadOnly: boolean
}

/**
 * As proc(5) has them: id, parent, device, root, path, options, optional fields up to a dash, type. Throws where that
 * cannot be told.
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

/** The kernel writes blanks and backslashes in octal. */
function unescapeOctal(path: string): string {
  const bytes = path.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
  return Buffer.from(bytes, 'latin1').toString()
}

/** The places below a directory where something is mounted. Throws as {@link currentMounts} does. */
export function mountsBelow(dir: string): string[] {
  const below = `${realpathSync.native(dir)}/`.replace('//', '/')
  return currentMounts()
    .map(({ path }) => path)
    .filter((path) => path.startsWith(below))
}
