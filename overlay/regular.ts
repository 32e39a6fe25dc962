import fs from 'node:fs'
import { fsError } from './errno.js'

// Windows has neither flag, so a plain read remains.
const READ = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0)
const READ_NO_FOLLOW = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0) | (fs.constants.O_NOFOLLOW ?? 0)

/**
 * Opens any path for reading. Does not wait for the writer of a FIFO, which reads as empty.
 *
 * @param follow false refuses a symlink at the end of the path (ELOOP)
 * @returns the descriptor, which the caller closes
 */
export function openForReading(path: string, follow: boolean): number {
  return follow ? fs.openSync(path, READ) : fs.openSync(path, READ_NO_FOLLOW)
}

/**
 * Opens a regular file for reading. Refuses anything else (EINVAL) by a stat of the descriptor: a pipe would block, and
 * a device never ends.
 *
 * @param follow as for {@link openForReading}
 */
export function openRegular(path: string, follow: boolean): number {
  const fd = openForReading(path, follow)
  let isRegular = false
  try {
    isRegular = fs.fstatSync(fd).isFile()
  } finally {
    if (!isRegular) fs.closeSync(fd)
  }
  if (!isRegular) throw fsError('EINVAL', 'open', path, undefined, 'not a regular file')
  return fd
}

/** Returns a regular file's bytes, see {@link openRegular}. */
export function readRegular(path: string, follow: boolean): Buffer {
  const fd = openRegular(path, follow)
  try {
    return fs.readFileSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** Returns a file's bytes, read off the main thread. Throws ELOOP on a symlink. */
export function readInBackground(path: string): Promise<Buffer> {
  return fs.promises.readFile(path, { flag: READ_NO_FOLLOW })
}
