import { OPS, type RefusedRow } from './ops.js'
import type { HandleMethod } from './stems.js'

/**
 * FileHandle's methods. No handle can be had while `open` is refused; the table is here so that a method a host adds
 * fails the type check before anyone can forget it.
 */

const NO_HANDLE: RefusedRow = OPS.open

export const HANDLE_OPS = {
  appendFile: NO_HANDLE,
  chmod: NO_HANDLE,
  chown: NO_HANDLE,
  close: NO_HANDLE,
  createReadStream: NO_HANDLE,
  createWriteStream: NO_HANDLE,
  datasync: NO_HANDLE,
  pull: NO_HANDLE,
  read: NO_HANDLE,
  readFile: NO_HANDLE,
  readLines: NO_HANDLE,
  readableWebStream: NO_HANDLE,
  readv: NO_HANDLE,
  stat: NO_HANDLE,
  sync: NO_HANDLE,
  truncate: NO_HANDLE,
  utimes: NO_HANDLE,
  write: NO_HANDLE,
  writeFile: NO_HANDLE,
  writer: NO_HANDLE,
  writev: NO_HANDLE,
} satisfies Record<HandleMethod, RefusedRow>
