import type { BigIntStats, Stats } from 'node:fs'
import { Errno } from './errno.js'
import type { RelPath } from './path.js'
import type { EditData } from './stage-edit.js'

/**
 * The two interfaces everything above the overlay is written against. Paths are physical: every directory on the way
 * is a real directory of that layer, no component is a symlink, `.` or `..`. All failures are {@link Errno}s or the
 * host's own errors.
 */

/** Bytes of the largest file a write layer holds. */
export const MAX_FILE_SIZE = 2 ** 30

/** Staged content is held in memory. What cannot be must not reach the log, or no replay would get past it: EFBIG. */
export function checkSize(size: number): void {
  if (size > MAX_FILE_SIZE) throw new Errno('EFBIG')
}

/** What stands at a name. `other`: a pipe, a socket or a device. */
export type EntryType = 'file' | 'dir' | 'symlink' | 'other'

/** One name in a directory. */
export interface Entry {
  readonly name: string
  readonly type: EntryType
}

/** What can be asked of a layer. Every path is relative to its root, links in it resolved before. */
export interface ReadLayer {
  /** What stands at the path itself (never follows a symlink), or undefined. */
  typeOf(path: RelPath): EntryType | undefined
  lstat(path: RelPath): Stats | undefined
  lstatBig(path: RelPath): BigIntStats | undefined
  /** A file's whole content, as a buffer the caller owns. Throws ENOENT, EISDIR. */
  read(path: RelPath): Buffer
  /** A directory's names in Node's order (by UTF-8 bytes). Throws ENOENT, ENOTDIR. */
  readdir(path: RelPath): Entry[]
  /** The names alone, in the same order: an untouched directory is listed by the disk itself. */
  names(path: RelPath): string[]
  /**
   * Whether something stands where the name leads, links followed; undefined where only a walk in the merged view
   * can tell.
   */
  exists(path: RelPath): boolean | undefined
  /** A symlink's target as written. Throws ENOENT, EINVAL. */
  readlink(path: RelPath): string
}

/** Attributes to set; what is absent stays. Times are nanoseconds since 1970. */
export interface Attributes {
  readonly mode?: number
  readonly uid?: number
  readonly gid?: number
  readonly atimeNs?: bigint
  readonly mtimeNs?: bigint
  /** Cuts or zero-extends a file's content. */
  readonly size?: number
}

/** How a put goes. */
export interface PutOptions {
  /** Permission bits of a file that this put creates (the umask already taken away). */
  readonly mode?: number
  /** Writes at this byte offset into the present content, in place of replacing it. */
  readonly at?: number
}

/** The seven mutators. Every write there is comes down to these. */
export interface WriteLayer extends ReadLayer {
  /** Creates a file or replaces its content. The bytes are copied. Throws ENOENT, ENOTDIR, EISDIR, EFBIG. */
  put(path: RelPath, data: EditData, options?: PutOptions): void
  /** Throws EEXIST, ENOENT, ENOTDIR. */
  mkdir(path: RelPath, mode: number): void
  /** Removes a file, a symlink or an empty directory. Throws ENOENT, ENOTEMPTY. */
  remove(path: RelPath): void
  /** rename(2). Throws ENOENT, EISDIR, ENOTDIR, ENOTEMPTY, EINVAL. */
  move(from: RelPath, to: RelPath): void
  /** link(2): a second name for a file. Throws ENOENT, EEXIST, EPERM. */
  link(existing: RelPath, path: RelPath): void
  /** Throws EEXIST, ENOENT. */
  symlink(target: string, path: RelPath): void
  setattr(path: RelPath, attributes: Attributes): void
}
