import fs from 'node:fs'
import { fsError } from './errno.js'

// Windows has neither; there 0 leaves a plain read.
const NO_WAIT = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0)
const NO_FOLLOW = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0) | (fs.constants.O_NOFOLLOW ?? 0)

/**
 * Opens a file to be read. What is no regular file is refused (EINVAL), looked at through the descriptor: a pipe would
 * block, and a device never ends.
 * @param follow a symlink at the end of the path; without it one is refused (ELOOP).
 */
export function openRegular(path: string, follow: boolean): number {
  const fd = follow ? fs.openSync(path, NO_WAIT) : fs.openSync(path, NO_FOLLOW)
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
