import fs, { type BigIntStats, type Stats } from 'node:fs'
import type { Entry, EntryType, ReadLayer } from './layer.js'
import type { RelPath } from './path.js'

/**
 * The disk, read-only by type: the lower layer of every overlay. It never follows a symlink at the final name, and it
 * trusts its caller that no directory on the way is one.
 */
export interface Lower extends ReadLayer {
  /** The workspace root: absolute, physical, no slash at the end. */
  readonly root: string
  /** The path as the host knows it. */
  hostPath(path: RelPath): string
  /**
   * Begins and ends one synchronous op: between them each name is looked at once. Ops may nest (an option's getter, a
   * filter): what runs inside may take any time, so each begins, and ends, with nothing remembered.
   */
  begin(): void
  end(): void
}

// NONBLOCK: opening a FIFO would otherwise wait for a writer that may never come.
const READ_FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0)

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
      return absentOn(() => fs.lstatSync(hostPath(path), { bigint: true, throwIfNoEntry: false }))
    },
    // Node's types leave numeric flags out of readFileSync; its documentation and code take them.
    read: (path) => fs.readFileSync(hostPath(path), { flag: READ_FLAGS as unknown as string }),
    readdir: (path) => fs.readdirSync(hostPath(path), { withFileTypes: true }).map(entryOf),
    names: (path) => fs.readdirSync(hostPath(path)),
    exists: (path) => fs.existsSync(hostPath(path)),
    readlink: (path) => fs.readlinkSync(hostPath(path)),
  }
}

function lstatOrAbsent(path: string): Stats | undefined {
  return absentOn(() => fs.lstatSync(path, { throwIfNoEntry: false }))
}

/** ENOTDIR too is "absent" to a layer: a file stands where a directory was asked to be. */
function absentOn<T extends Stats | BigIntStats>(look: () => T | undefined): T | undefined {
  try {
    return look()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw error
  }
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
