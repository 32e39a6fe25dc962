import { constants, type Stats } from 'node:fs'
import {
  type EditData,
  Errno,
  type Inside,
  type Outside,
  PART,
  pathText,
  type RelPath,
  sizeOf,
} from '../../overlay/index.js'
import {
  checkSignal,
  isFd,
  isWriting,
  readBoolean,
  readData,
  readFlags,
  readInteger,
  readLooseOptions,
  readMode,
  readOptions,
  readSignal,
} from './args.js'
import { afterTurn } from './fairness.js'
import { COPY_KEEPS_OWNER, TRUNCATE_TAKES_DESCRIPTOR } from './host-traits.js'
import { ftruncate, writeRest } from './kernel-fd.js'
import type { Args, Form } from './op-types.js'
import { createdMode, followOf } from './open-rules.js'
import { mayChown } from './ownership.js'
import type { WriteView } from './view.js'
import { warnOnce } from './warnings.js'

/** The bodies of the writing ops: each calls the seven mutators. */

const NOFOLLOW = constants.O_NOFOLLOW ?? 0

export function writeFile(view: WriteView, args: Args, form: Form): Promise<void> | undefined {
  return write(view, args, form, 'w')
}

export function appendFile(view: WriteView, args: Args, form: Form): Promise<void> | undefined {
  return write(view, args, form, 'a')
}

/** Node's sync forms ignore the signal; the others check it again when the content is written. */
function write(
  view: WriteView,
  [path, value, given]: Args,
  form: Form,
  fallback: 'w' | 'a',
): Promise<void> | undefined {
  const options = readOptions(given)
  const flush = readBoolean('options.flush', options.flush ?? undefined, false)
  const flags = readFlags(options.flag || undefined, fallback, 'options.flag')
  const mode = readMode(options.mode, 0o666)
  const data = readData(value, options)
  const signal = readSignal(options)
  if (form !== 'sync') checkSignal(signal)
  if (form !== 'sync' && data.length > PART && !isFd(path) && flags & constants.O_TRUNC)
    return putInParts(view, { path, flags, mode, data, flush, signal })
  put(view, { path, flags, mode, data })
  if (flush) view.sync()
  return form === 'sync' || !signal ? undefined : afterTurn(() => checkSignal(signal))
}

interface Written {
  readonly path: unknown
  readonly flags: number
  readonly mode: number
  readonly data: EditData
}

/** Stores much content one part per turn of the event loop. It becomes visible only when all of it is there. */
async function putInParts(
  view: WriteView,
  { data, flush, signal, ...how }: Written & { data: Uint8Array; flush: boolean; signal: AbortSignal | undefined },
): Promise<void> {
  // A write that will be refused is refused first.
  const { path } = targetOf(view, how)
  const stored = await view.layer.prepare(path, data)
  checkSignal(signal)
  view.within(() => {
    put(view, { ...how, data: stored })
    if (flush) view.sync()
  })
}

/** The target of a write by name, as open(2) finds it. */
function targetOf(view: WriteView, { path, flags }: Pick<Written, 'path' | 'flags'>): Inside {
  const exclusive = (flags & constants.O_EXCL) !== 0
  const place = view.target(path, followOf(path, exclusive || (flags & NOFOLLOW) !== 0, flags), 'put')
  openForWrite(view, place, flags)
  return place
}

function put(view: WriteView, { path, flags, mode, data }: Written): void {
  if (isFd(path)) {
    if (data instanceof Uint8Array && data.length > 0) writeRest(view.descriptors.get(path), data)
    return
  }
  const place = targetOf(view, { path, flags })
  // An empty write(2) is not a write: the file keeps its times.
  if (sizeOf(data) === 0 && place.type !== undefined && !(flags & constants.O_TRUNC)) return
  if (place.type === undefined) view.layer.put(place.path, data, { mode: createdMode(mode) })
  else if (flags & constants.O_APPEND) append(view, place, data)
  else if (flags & constants.O_TRUNC) view.layer.put(place.path, data)
  else view.layer.put(place.path, data, { at: 0 })
}

/** The checks of open(2) before a byte is written. */
function openForWrite(view: WriteView, place: Inside, flags: number): void {
  if (!isWriting(flags & ~constants.O_TRUNC & ~constants.O_APPEND)) throw new Errno('EBADF', 'write', true)
  view.layer.judge('put', place.path)
  if (flags & constants.O_CREAT && place.ending === 'slash') throw new Errno('EISDIR')
  if (place.type === undefined) {
    if (!(flags & constants.O_CREAT)) throw new Errno('ENOENT')
    return
  }
  if (flags & constants.O_CREAT && flags & constants.O_EXCL) throw new Errno('EEXIST')
  if (place.type === 'symlink') throw new Errno('ELOOP')
  if (place.type === 'dir') throw new Errno('EISDIR')
}

function append(view: WriteView, place: Inside, data: EditData): void {
  view.layer.put(place.path, data, { at: view.layer.lstat(place.path)?.size ?? 0 })
}

/** Only the sync and callback forms accept a descriptor, which is deprecated: Node prints a warning. */
export function truncate(view: WriteView, [path, length]: Args, form: Form): void {
  if (TRUNCATE_TAKES_DESCRIPTOR && typeof path === 'number' && form !== 'promise') {
    warnOnce(
      'DEP0081',
      'Using fs.truncate with a file descriptor is deprecated. Please use fs.ftruncate with a file descriptor instead.',
    )
    ftruncate(view, [path, length])
    return
  }
  const size = length === undefined ? 0 : readSafeInteger('len', length)
  const place = view.target(path, 'follow', 'setattr')
  if (place.type === undefined) throw new Errno('ENOENT')
  if (place.type === 'dir') throw new Errno('EISDIR')
  view.layer.setattr(place.path, { size: Math.max(0, size) })
}

function readSafeInteger(name: string, value: unknown): number {
  return readInteger(name, value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
}

export function mkdir(view: WriteView, [path, given]: Args, form: Form): string | undefined {
  const options = typeof given === 'number' || typeof given === 'string' ? { mode: given } : readLooseOptions(given)
  const recursive = readBoolean('options.recursive', options.recursive, false)
  const mode = createdMode(readMode(options.mode, 0o777) & 0o1777)
  if (recursive) return makeDirs(view, pathText(path), mode, form)
  const place = view.target(path, 'exact', 'mkdir')
  if (place.type !== undefined) throw new Errno('EEXIST')
  view.layer.mkdir(place.path, mode)
  return undefined
}

/** mkdir -p: makes the missing parents first. Returns the first directory made, as the caller spelled it. */
function makeDirs(view: WriteView, text: string, mode: number, form: Form): string | undefined {
  // A dangling link is in the way: mkdir(2) does not create its target.
  if (isDangling(view, text)) throw new Errno('ENOENT')
  const parent = parentText(text)
  let first: string | undefined
  let place: Inside
  try {
    place = view.target(text, 'follow', 'mkdir')
  } catch (error) {
    if (!(error instanceof Errno) || error.code !== 'ENOENT' || parent === undefined) throw error
    // Node's own forms differ here: the sync form reports the requested path, the others the dangling link.
    if (isDangling(view, parent)) throw new Errno(form === 'sync' ? 'ENOENT' : 'ENOTDIR')
    first = makeDirs(view, parent, mode, form)
    // The path may lead through a link that was made meanwhile.
    if (isDangling(view, text)) throw new Errno('ENOENT')
    place = view.target(text, 'follow', 'mkdir')
  }
  if (place.type === 'dir') return first
  if (place.type !== undefined) throw new Errno('EEXIST')
  view.layer.mkdir(place.path, mode)
  return first ?? text
}

function isDangling(view: WriteView, text: string): boolean {
  if (!isLink(view, text)) return false
  try {
    const place = view.at(text, 'follow')
    return place.inside && place.type === undefined
  } catch {
    return false
  }
}

/** Whether a path is a link, whatever its target. */
export function isLink(view: WriteView, path: unknown): boolean {
  try {
    const place = view.at(path, 'exact')
    return place.inside && place.type === 'symlink'
  } catch {
    return false
  }
}

function parentText(text: string): string | undefined {
  const trimmed = text.replace(/\/+$/, '')
  const slash = trimmed.lastIndexOf('/')
  return slash <= 0 ? undefined : trimmed.slice(0, slash)
}

export function unlink(view: WriteView, [path]: Args): void {
  const place = view.target(path, 'exact', 'remove')
  view.layer.judge('remove', place.path)
  if (place.type === 'dir') throw new Errno('EISDIR')
  if (place.type !== undefined && place.ending !== 'name') throw new Errno('ENOTDIR')
  view.layer.remove(place.path)
}

export function rename(view: WriteView, [from, to]: Args): void {
  const [oldPath, newPath] = [pathText(from), pathText(to)]
  const source = view.target(oldPath, 'exact', 'move')
  const target = view.target(newPath, 'exact', 'move')
  if (source.ending === 'dot' || source.ending === 'dotdot' || target.ending === 'dot' || target.ending === 'dotdot')
    throw new Errno('EBUSY')
  if (source.type === undefined) {
    view.layer.judge('move', source.path)
    throw new Errno('ENOENT')
  }
  if ((source.ending === 'slash' || target.ending === 'slash') && source.type !== 'dir') throw new Errno('ENOTDIR')
  view.layer.move(source.path, target.path)
}

export function copyFile(view: WriteView, [from, to, given]: Args, form: Form): Promise<void> | undefined {
  const mode = given === undefined || given === null ? 0 : readInteger('mode', given, 0, 7)
  const source = view.at(from, 'follow')
  const stats = source.inside ? view.layer.lstat(source.path) : view.host(source).statSync(source.path)
  if (!stats) throw new Errno('ENOENT')
  const target = targetOfCopy(view, to, mode)
  if (stats.isDirectory() || target.type === 'dir') throw new Errno('EISDIR')
  // The content passes through memory, so no copy-on-write clone can be promised.
  if (mode & constants.COPYFILE_FICLONE_FORCE) throw new Errno('ENOTSUP')
  if (source.inside && source.path === target.path) return undefined
  if (form !== 'sync' && source.inside && stats.size > PART)
    return copyInParts(view, source, target, { to, mode, stats })
  const content = source.inside ? view.layer.read(source.path) : contentOutside(view, source, stats)
  landCopy(view, target, content, stats)
  return undefined
}

/** Reads and stores much content without blocking the event loop, and then puts it at once. */
async function copyInParts(
  view: WriteView,
  source: Inside,
  target: Inside,
  { to, mode, stats }: { to: unknown; mode: number; stats: Stats },
): Promise<void> {
  const content = await view.layer.prepare(target.path, await view.readLater(source.path))
  view.within(() => landCopy(view, targetOfCopy(view, to, mode), content, stats))
}

function targetOfCopy(view: WriteView, to: unknown, mode: number): Inside {
  const exclusive = (mode & constants.COPYFILE_EXCL) !== 0
  const target = view.target(to, followOf(to, exclusive, constants.O_CREAT), 'put')
  view.layer.judge('put', target.path)
  if (target.ending === 'slash') throw new Errno('EISDIR')
  if (exclusive && target.type !== undefined) throw new Errno('EEXIST')
  return target
}

function landCopy(view: WriteView, { path }: Inside, content: EditData, stats: Stats): void {
  view.layer.put(path, content, { mode: stats.mode & 0o7777 })
  view.layer.setattr(path, { ...ownerOfCopy(view, path, stats), mode: stats.mode & 0o7777 })
}

/** Reads as many bytes as the stats say: a device says 0, and may be endless. */
function contentOutside(view: WriteView, source: Outside, stats: Stats): Uint8Array {
  return stats.isCharacterDevice() || stats.isBlockDevice()
    ? Buffer.alloc(0)
    : view.host(source).readFileSync(source.path)
}

/** The source's owner, if the host's copies keep it and this process may change owners. */
function ownerOfCopy(view: WriteView, path: RelPath, { uid, gid }: Stats): { uid?: number; gid?: number } {
  const stats = view.layer.lstat(path)
  const isOther = stats?.uid !== uid || stats.gid !== gid
  return COPY_KEEPS_OWNER && isOther && mayChown(stats, uid, gid) ? { uid, gid } : {}
}
