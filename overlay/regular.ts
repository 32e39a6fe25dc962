import fs from 'node:fs'
import { fsError } from './errno.js'

// Windows has neither flag; 0 leaves a plain read there.
const READ = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0)
const READ_NO_FOLLOW = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0) | (fs.constants.O_NOFOLLOW ?? 0)

/**
 * Opens anything for reading. Opening a FIFO does not wait for a writer: it reads as empty.
 *
 * @param follow false refuses a symlink at the end of the path (ELOOP)
 * @returns the descriptor, which the caller closes
 */
export function openForReading(path: string, follow: boolean): number {
  return follow ? fs.openSync(path, READ) : fs.openSync(path, READ_NO_FOLLOW)
}

/**
 * Opens a regular file for reading. Anything else is refused (EINVAL) by a look through the descriptor: a pipe would block, and a
 * device never ends.
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

/** A regular file's bytes, see {@link openRegular}. */
export function readRegular(path: string, follow: boolean): Buffer {
  const fd = openRegular(path, follow)
  try {
    return fs.readFileSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** A file's bytes, read off the main thread and never through a symlink (ELOOP). */
export function readInBackground(path: string): Promise<Buffer> {
  return fs.promises.readFile(path, { flag: READ_NO_FOLLOW })
}
