import type { BigIntStats, Stats } from 'node:fs'
import { Errno } from './errno.js'
import type { RelPath } from './path.js'
import type { EditData } from './stage-edit.js'

/**
 * The two interfaces that everything above the overlay uses. Paths are physical: each parent is a real directory of
 * that layer, and no component is a symlink, `.` or `..`. All failures are {@link Errno}s or the host's own errors.
 */

/** The limit of a file in a write layer, in bytes. */
export const MAX_FILE_SIZE = 2 ** 30

/** Throws EFBIG for content that cannot be held in memory. In the log it would make every replay fail. */
export function checkSize(size: number): void {
  if (size > MAX_FILE_SIZE) throw new Errno('EFBIG')
}

/** The type of an entry. `other`: a pipe, a socket or a device. */
export type EntryType = 'file' | 'dir' | 'symlink' | 'other'

/** One name in a directory. */
export interface Entry {
  readonly name: string
  readonly type: EntryType
}

/** The read methods of a layer. Every path is relative to its root, with links resolved before. */
export interface ReadLayer {
  /** Returns the type of the path itself (never follows a symlink), or undefined. */
  typeOf(path: RelPath): EntryType | undefined
  lstat(path: RelPath): Stats | undefined
  lstatBig(path: RelPath): BigIntStats | undefined
  /** Returns a file's whole content, in a buffer that the caller owns. Throws ENOENT, EISDIR. */
  read(path: RelPath): Buffer
  /** Returns a directory's names in Node's order (by UTF-8 bytes). Throws ENOENT, ENOTDIR. */
  readdir(path: RelPath): Entry[]
  /** Only the names, in the same order. An unedited directory is listed by the disk itself. */
  names(path: RelPath): string[]
  /**
   * Returns whether the path exists, with links followed; undefined if only a walk in the merged view can tell.
   */
  exists(path: RelPath): boolean | undefined
  /** Returns a symlink's target as written. Throws ENOENT, EINVAL. */
  readlink(path: RelPath): string
}

/** Attributes to set; absent ones stay. Times are nanoseconds since 1970. */
export interface Attributes {
  readonly mode?: number
  readonly uid?: number
  readonly gid?: number
  readonly atimeNs?: bigint
  readonly mtimeNs?: bigint
  /** Truncates or zero-extends a file's content. */
  readonly size?: number
}

/** The options of a put. */
export interface PutOptions {
  /** Permission bits of a file that this put creates, with the umask applied. */
  readonly mode?: number
  /** Writes at this byte offset into the present content, instead of replacing it. */
  readonly at?: number
}

/** The seven mutators, to which every write is reduced. */
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
