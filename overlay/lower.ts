import fs, { type BigIntStats, closeSync, readSync, type Stats } from 'node:fs'
import { codeOf } from './errno.js'
import type { Entry, EntryType, ReadLayer } from './layer.js'
import type { RelPath } from './path.js'
import { openForReading, readInBackground, readRegular } from './regular.js'

/** One name on disk, for repeated access. Each call reads the disk again. */
export interface LowerName {
  /** Returns the content. Throws ENOENT, ENOTDIR, EISDIR; ELOOP for a symlink. */
  read(): Buffer
  /** As {@link read}, but returns UTF-8 text, and is faster. */
  readText(): string
  lstat(): Stats | undefined
  lstatBig(): BigIntStats | undefined
  /** Follows a symlink. */
  exists(): boolean
}

/**
 * The disk, read-only by type: the lower layer of every overlay. It never follows a symlink at the end of a path. Its
 * caller makes sure that no parent directory is one.
 */
export interface Lower extends ReadLayer {
  /** The workspace root: absolute, physical, no slash at the end. */
  readonly root: string
  /** Returns the path as the host knows it. */
  hostPath(path: RelPath): string
  name(path: RelPath): LowerName
  exists(path: RelPath): boolean
  /** As {@link ReadLayer.read}, by the thread pool. Rejects with the host's own errors. */
  readLater(path: RelPath): Promise<Buffer>
  /**
   * Begins and ends one synchronous op, in which each name is read from disk only once. Ops may nest (an option's
   * getter, a filter). A nested op may take any time, so each op begins and ends with an empty cache.
   */
  begin(): void
  end(): void
}

/**
 * Returns the disk below a root, read-only.
 *
 * @param root absolute, with links resolved
 */
export function openLower(root: string): Lower {
  const hostPath = (path: RelPath) => (path === '' ? root : `${root}/${path}`)
  const looks = new Map<RelPath, Stats | null>()
  let depth = 0
  const lstat = (path: RelPath): Stats | undefined => {
    const known = depth > 0 ? looks.get(path) : undefined
    if (known !== undefined) return known ?? undefined
    const stats = lstatOrAbsent(hostPath(path))
    if (depth > 0) looks.set(path, stats ?? null)
    return stats
  }
  const forget = () => {
    if (looks.size > 0) looks.clear()
  }
  return {
    root,
    hostPath,
    name: (path) => new HostName(hostPath(path)),
    typeOf(path) {
      const stats = lstat(path)
      return stats && typeOfStats(stats)
    },
    begin() {
      depth++
      forget()
    },
    end() {
      depth--
      forget()
    },
    lstat,
    lstatBig(path) {
      if (depth > 0 && looks.get(path) === null) return undefined
      return lstatBigOrAbsent(hostPath(path))
    },
    read: (path) => readWhole(hostPath(path)),
    readLater: (path) => readInBackground(hostPath(path)),
    readdir: (path) => fs.readdirSync(hostPath(path), { withFileTypes: true }).map(entryOf),
    names: (path) => fs.readdirSync(hostPath(path)),
    exists: (path) => fs.existsSync(hostPath(path)),
    readlink: (path) => fs.readlinkSync(hostPath(path)),
  }
}

class HostName implements LowerName {
  constructor(private readonly host: string) {}

  read(): Buffer {
    return readWhole(this.host)
  }

  readText(): string {
    return readText(this.host)
  }

  lstat(): Stats | undefined {
    return lstatOrAbsent(this.host)
  }

  lstatBig(): BigIntStats | undefined {
    return lstatBigOrAbsent(this.host)
  }

  exists(): boolean {
    return fs.existsSync(this.host)
  }
}

/** Most files an agent reads fit in here: one is then read without asking its size first. */
const scratch = Buffer.allocUnsafeSlow(1 << 16)

/** As readFileSync, without its fstat(2). */
function readWhole(path: string): Buffer {
  const size = readIntoScratch(path)
  return size === undefined ? readRegular(path, false) : Buffer.from(scratch.subarray(0, size))
}

function readText(path: string): string {
  const size = readIntoScratch(path)
  return size === undefined ? readRegular(path, false).toString() : scratch.toString('utf8', 0, size)
}

/** The number of bytes read; undefined for a file that does not fit, or a device without an end. */
function readIntoScratch(path: string): number | undefined {
  const fd = openForReading(path, false)
  try {
    let size = 0
    for (let count = -1; count !== 0 && size < scratch.length; size += count)
      count = readSync(fd, scratch, size, scratch.length - size, null)
    return size < scratch.length ? size : undefined
  } finally {
    closeSync(fd)
  }
}

const ABSENT_IS_FINE = { throwIfNoEntry: false } as const
const BIG = { bigint: true, throwIfNoEntry: false } as const

function lstatOrAbsent(path: string): Stats | undefined {
  try {
    return fs.lstatSync(path, ABSENT_IS_FINE)
  } catch (error) {
    return absentOn(error)
  }
}

function lstatBigOrAbsent(path: string): BigIntStats | undefined {
  try {
    return fs.lstatSync(path, BIG)
  } catch (error) {
    return absentOn(error)
  }
}

/** A layer also reports a path as absent if a parent is a file (ENOTDIR) or a link in a circle (ELOOP). */
function absentOn(error: unknown): undefined {
  const code = codeOf(error)
  if (code === 'ENOTDIR' || code === 'ELOOP') return undefined
  throw error
}

export function typeOfStats(stats: Stats | BigIntStats): EntryType {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'dir'
  return stats.isSymbolicLink() ? 'symlink' : 'other'
}

export function entryOf(dirent: fs.Dirent): Entry {
  const type = dirent.isFile() ? 'file' : dirent.isDirectory() ? 'dir' : dirent.isSymbolicLink() ? 'symlink' : 'other'
  return { name: dirent.name, type }
}
