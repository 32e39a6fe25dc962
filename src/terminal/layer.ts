import { closeSync, fstatSync, lstatSync, readdirSync, readlinkSync, readSync, type Stats } from 'node:fs'
import {
  ancestorsOf,
  codeOf,
  Errno,
  MAX_FILE_SIZE,
  nameOf,
  openForReading,
  parentOf,
  type RelPath,
  ROOT,
  readRegular,
} from '../../overlay/index.js'
import { closeDescriptor, lookAt, openDirectory } from '../os/read.js'
import { chmodSync } from '../os/write.js'

/** A tree that a command writes to, read for its effects. */
export interface Layer {
  /** @throws ENOENT for a missing directory, ENOTDIR for another type. */
  names(dir: RelPath): string[]
  /** Undefined for a missing name. */
  lstat(path: RelPath): Stats | undefined
  target(path: RelPath): string
  /** A file's bytes. @param stats from an earlier {@link lstat}. @throws Unsettled if the file has changed since. */
  read(path: RelPath, stats: Stats): Buffer
  close(): void
}

/** The layer of a running command. */
export interface LiveLayer extends Layer {
  /** A path of this process for a name, through the open directory it is in. Valid until the next call. */
  at(path: RelPath): string
}

/**
 * Paths of this process for the names in a tree that no process writes to. Undefined for a name below a link: where a directory was, a
 * command may have left a link that leads out of the tree.
 */
export function restingPaths(host: string): (path: RelPath) => string | undefined {
  const real = new Set<RelPath>([ROOT])
  const isReal = (dir: RelPath): boolean => {
    if (real.has(dir)) return true
    const isDirectory = isReal(parentOf(dir)) && lookAt(`${host}/${dir}`)?.isDirectory() === true
    if (isDirectory) real.add(dir)
    return isDirectory
  }
  return (path) => (isReal(parentOf(path)) ? `${host}/${path}` : undefined)
}

/** A layer that no process writes to. It is ours, so unreadable files are made readable. */
export function restingLayer(host: string): Layer {
  return openedLayer(host, 0o700)
}

/** A copy that no process writes to. Later commands see its modes, so a mode changes only if it keeps this user from reading. */
export function restingCopy(host: string): Layer {
  return openedLayer(host, process.geteuid?.() === 0 ? 0 : 0o500)
}

/** @param bits the mode bits that the owner gets for each directory that is listed. Of these, a file that is read gets the right to read. */
function openedLayer(host: string, bits: number): Layer {
  const known = restingPaths(host)
  const at = (path: RelPath) => {
    const place = known(path)
    if (place === undefined) throw new Errno('ENOTDIR')
    return place
  }
  return {
    names(dir) {
      const place = at(dir)
      if (!lstatSync(place).isDirectory()) throw new Errno('ENOTDIR')
      grantMode(place, bits)
      return readdirSync(place)
    },
    lstat(path) {
      const place = known(path)
      return place === undefined ? undefined : lstatSync(place, { throwIfNoEntry: false })
    },
    target: (path) => readlinkSync(at(path)),
    read(path) {
      const place = at(path)
      grantMode(place, bits & 0o400)
      return readRegular(place, false)
    },
    close: () => undefined,
  }
}

function grantMode(host: string, bits: number): void {
  const stats = lstatSync(host)
  const mode = stats.mode & 0o7777
  if ((mode & bits) !== bits && !stats.isSymbolicLink()) chmodSync(host, mode | bits)
}

/** A file changed while it was read. */
export class Unsettled extends Error {
  override readonly name = 'Unsettled'
}

/**
 * A layer that a command is writing to. The command can replace a directory by a link at any time, so each directory is opened
 * relative to its parent with O_NOFOLLOW and kept open. Unreadable files are left as they are.
 */
export function liveLayer(host: string): LiveLayer {
  const openDirs: { readonly dir: RelPath; readonly fd: number }[] = []
  const closeFrom = (to: number) => {
    for (const { fd } of openDirs.splice(to)) closeDescriptor(fd)
  }
  const hold = (dir: RelPath): string => {
    const way = dir === ROOT ? [ROOT] : [ROOT, ...ancestorsOf(dir).reverse(), dir]
    const known = way.findIndex((each, index) => openDirs[index]?.dir !== each)
    if (known >= 0) {
      closeFrom(known)
      for (const each of way.slice(known)) {
        const above = openDirs.at(-1)
        openDirs.push({ dir: each, fd: openDirectory(above ? `${fdPath(above.fd)}/${nameOf(each)}` : host) })
      }
    }
    return fdPath(openDirs[way.length - 1]?.fd ?? -1)
  }
  const at = (path: RelPath) => `${hold(parentOf(path))}/${nameOf(path)}`
  return {
    at,
    names: (dir) => readdirSync(hold(dir)),
    lstat: (path) => lstatSync(at(path), { throwIfNoEntry: false }),
    target: (path) => readlinkSync(at(path)),
    read(path, stats) {
      try {
        return readSettled(at(path), stats)
      } catch (error) {
        throw isInUse(error) ? new Unsettled() : error
      }
    },
    close: () => closeFrom(0),
  }
}

/** Whether an error can result from a concurrent change: the path is gone, has another type, or was made unreadable. */
export function isInUse(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'ENXIO', 'ESTALE', 'EACCES', 'EPERM'].includes(codeOf(error) ?? '')
}

const fdPath = (fd: number) => `/proc/self/fd/${fd}`

/** @throws Unsettled if the file differs from `seen` or changes during the read; EFBIG beyond {@link MAX_FILE_SIZE}. */
function readSettled(host: string, stats: Stats): Buffer {
  if (stats.size > MAX_FILE_SIZE) throw new Errno('EFBIG')
  const fd = openForReading(host, false)
  try {
    if (!isSame(fstatSync(fd), stats)) throw new Unsettled()
    const data = Buffer.allocUnsafe(stats.size)
    let length = 0
    for (let more = 1; more > 0 && length < data.length; length += more)
      more = readSync(fd, data, length, data.length - length, null)
    // A file that has grown has another size, which the stamp includes.
    if (length < data.length || !isSame(fstatSync(fd), stats)) throw new Unsettled()
    return data
  } finally {
    closeSync(fd)
  }
}

function isSame(a: Stats, b: Stats): boolean {
  return a.isFile() && layerStamp(a) === layerStamp(b)
}

/** Changes when a command writes to an entry of the layer or changes its mode. */
export function layerStamp({ ino, size, mtimeMs, ctimeMs, mode }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs} ${mode}`
}
