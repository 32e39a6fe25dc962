/** Reads of the disk that must not follow a link, hang on a FIFO, or hold a whole file in memory. */
import { createHash } from 'node:crypto'
import { closeSync, constants, lstatSync, openSync, readFileSync, readSync } from 'node:fs'
import type { Digest } from '../../overlay/digest.js'
import { codeOf } from '../../overlay/errno.js'

// Windows has none of the three; there 0 leaves a plain read.
const NO_FOLLOW = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
// One for all: everything here is synchronous, and a buffer for each file costs more than its hash.
const CHUNK = Buffer.allocUnsafeSlow(1 << 18)

/** The digest of a regular file's bytes, read a piece at a time. Throws ELOOP on a symlink. */
export function digestFile(path: string): Digest {
  const fd = openSync(path, NO_FOLLOW)
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

/** A file's bytes. Throws ELOOP on a symlink. */
export function readWhole(path: string): Buffer {
  return readFileSync(path, { flag: NO_FOLLOW })
}

/** The first bytes of a file as text; '' when it is gone. */
export function readStart(path: string, bytes: number): string {
  let fd: number
  try {
    fd = openSync(path, NO_FOLLOW)
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

export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

/** Opens a directory to hold it. Throws ENOTDIR on anything else, a symlink to a directory included. */
export function openDirectory(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
}

export { closeSync as closeDirectory } from 'node:fs'
