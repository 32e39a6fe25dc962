import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs'
import { ancestorsOf, codeOf, Errno, MAX_FILE_SIZE, nameOf, parentOf, type RelPath, ROOT } from '../../overlay/index.js'
import { closeDescriptor, openDirectory } from '../host/read.js'
import { chmodSync } from '../host/write.js'

/** A tree of files a command has written, as its effects are read from it. */
export interface Layer {
  /** Throws ENOENT where there is none, ENOTDIR where it is no directory. */
  names(dir: RelPath): string[]
  /** Undefined where there is nothing by that name. */
  look(path: RelPath): Stats | undefined
  target(path: RelPath): string
  /** A file's bytes; `stats` is what was seen of it. Throws {@link Unsettled} where it is in use. */
  read(path: RelPath, stats: Stats): Buffer
  close(): void
}

/** Of a command at work. */
export interface LiveLayer extends Layer {
  /** The address of a name in a directory that is held: good until the next call. */
  at(path: RelPath): string
}

/** Read without following a link, and without waiting for who writes a FIFO. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Nothing writes to it any more. It is ours: what its command made unreadable is made readable here. */
export function restingLayer(host: string): Layer {
  const at = (path: RelPath) => `${host}/${path}`
  return {
    names(dir) {
      grantMode(at(dir), 0o700)
      return readdirSync(at(dir))
    },
    look: (path) => lstatSync(at(path), { throwIfNoEntry: false }),
    target: (path) => readlinkSync(at(path)),
    read(path) {
      grantMode(at(path), 0o400)
      return readFileSync(at(path), { flag: READ_FLAGS as unknown as string })
    },
    close: () => undefined,
  }
}

function grantMode(host: string, bits: number): void {
  const mode = lstatSync(host).mode & 0o7777
  if ((mode & bits) !== bits) chmodSync(host, mode | bits)
}

/** What was being written while it was read. */
export class Unsettled extends Error {
  override readonly name = 'Unsettled'
}

/**
 * A command is at work in it: a directory can become a link between two looks, and a link leads anywhere. So each
 * directory is held, and reached from the one above it without following a link; what cannot be read is left as it is.
 */
export function liveLayer(host: string): LiveLayer {
  const held: { readonly dir: RelPath; readonly fd: number }[] = []
  const letGo = (to: number) => {
    for (const { fd } of held.splice(to)) closeDescriptor(fd)
  }
  const hold = (dir: RelPath): string => {
    const way = dir === ROOT ? [ROOT] : [ROOT, ...ancestorsOf(dir).reverse(), dir]
    const known = way.findIndex((each, index) => held[index]?.dir !== each)
    if (known >= 0) {
      letGo(known)
      for (const each of way.slice(known)) {
        const above = held.at(-1)
        held.push({ dir: each, fd: openDirectory(above ? `${fdPath(above.fd)}/${nameOf(each)}` : host) })
      }
    }
    return fdPath(held[way.length - 1]?.fd ?? -1)
  }
  const at = (path: RelPath) => `${hold(parentOf(path))}/${nameOf(path)}`
  return {
    at,
    names: (dir) => readdirSync(hold(dir)),
    look: (path) => lstatSync(at(path), { throwIfNoEntry: false }),
    target: (path) => readlinkSync(at(path)),
    read(path, stats) {
      try {
        return readSettled(at(path), stats)
      } catch (error) {
        throw isInUse(error) ? new Unsettled() : error
      }
    },
    close: () => letGo(0),
  }
}

/** Whether it comes of a tree that changes: what was there is gone, is another thing by now, or was locked away. */
export function isInUse(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'ENXIO', 'ESTALE', 'EACCES', 'EPERM'].includes(codeOf(error) ?? '')
}

const fdPath = (fd: number) => `/proc/self/fd/${fd}`

/** @throws Unsettled where the file is not the one that was seen, or changes meanwhile; EFBIG for more than a stage holds. */
export function readSettled(host: string, seen: Stats): Buffer {
  if (seen.size > MAX_FILE_SIZE) throw new Errno('EFBIG')
  const fd = openSync(host, READ_FLAGS)
  try {
    if (!isSame(fstatSync(fd), seen)) throw new Unsettled()
    const data = Buffer.allocUnsafe(seen.size)
    let length = 0
    for (let more = 1; more > 0 && length < data.length; length += more)
      more = readSync(fd, data, length, data.length - length, null)
    // One that has grown has another size by now.
    if (length < data.length || !isSame(fstatSync(fd), seen)) throw new Unsettled()
    return data
  } finally {
    closeSync(fd)
  }
}

function isSame(now: Stats, seen: Stats): boolean {
  return now.isFile() && stampOf(now) === stampOf(seen)
}

/** Equal: nothing was written meanwhile. */
export function stampOf({ ino, size, mtimeMs, ctimeMs, mode }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs} ${mode}`
}
