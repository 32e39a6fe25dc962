import { constants, type Stats } from 'node:fs'
import { Errno } from '../../overlay/errno.js'
import { pathText, type RelPath } from '../../overlay/path.js'
import type { Inside, Outside } from '../../overlay/resolve.js'
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
import { COPY_KEEPS_OWNER } from './host-traits.js'
import { ftruncate, writeRest } from './kernel-fd.js'
import { createdMode, followOf } from './open-rules.js'
import type { Args, Form } from './ops.js'
import { mayGive } from './ownership.js'
import type { WriteView } from './view.js'
import { warnOnce } from './warnings.js'

/** The bodies of the writing ops: each comes down to calls of the seven mutators. */

const NOFOLLOW = constants.O_NOFOLLOW ?? 0

export function writeFile(view: WriteView, args: Args, form: Form): Promise<void> | undefined {
  return write(view, args, form, 'w')
}

export function appendFile(view: WriteView, args: Args, form: Form): Promise<void> | undefined {
  return write(view, args, form, 'a')
}

/** Node's sync forms look at no signal; the others do so again when the content is written. */
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
  put(view, { path, flags, mode, data })
  if (flush) view.sync()
  return form === 'sync' || !signal ? undefined : afterTurn(() => checkSignal(signal))
}

interface Written {
  readonly path: unknown
  readonly flags: number
  readonly mode: number
  readonly data: Uint8Array
}

function put(view: WriteView, { path, flags, mode, data }: Written): void {
  const exclusive = (flags & constants.O_EXCL) !== 0
  if (isFd(path)) {
    if (data.length > 0) writeRest(view.descriptors.get(path), data)
    return
  }
  const place = view.target(path, followOf(path, exclusive || (flags & NOFOLLOW) !== 0, flags), 'put')
  openForWrite(view, place, flags)
  // write(2) of nothing is no write: the file keeps its times.
  if (data.length === 0 && place.type !== undefined && !(flags & constants.O_TRUNC)) return
  if (place.type === undefined) view.layer.put(place.path, data, { mode: createdMode(mode) })
  else if (flags & constants.O_APPEND) append(view, place, data)
  else if (flags & constants.O_TRUNC) view.layer.put(place.path, data)
  else view.layer.put(place.path, data, { at: 0 })
}

/** What open(2) checks before a byte is written. */
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

function append(view: WriteView, place: Inside, data: Uint8Array): void {
  view.layer.put(place.path, data, { at: view.layer.lstat(place.path)?.size ?? 0 })
}

/** By a descriptor only in the forms that had it once; Node says so with a warning. */
export function truncate(view: WriteView, [path, length]: Args, form: Form): void {
  if (typeof path === 'number' && form !== 'promise') {
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

/** mkdir -p: makes the missing parents first. Answers the first directory made, as spelt. */
function makeDirs(view: WriteView, text: string, mode: number, form: Form): string | undefined {
  // A dangling link is in the way: mkdir(2) does not make what it points at.
  if (isDangling(view, text)) throw new Errno('ENOENT')
  const parent = parentText(text)
  let first: string | undefined
  let place: Inside
  try {
    place = view.target(text, 'follow', 'mkdir')
  } catch (error) {
    if (!(error instanceof Errno) || error.code !== 'ENOENT' || parent === undefined) throw error
    // Node's own forms differ here: the sync one reports what it was asked for, the others what is in the way.
    if (isDangling(view, parent)) throw new Errno(form === 'sync' ? 'ENOENT' : 'ENOTDIR')
    first = makeDirs(view, parent, mode, form)
    // What was absent on the way may lead to a link.
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

/** Whether a name is one of a link, whatever the link leads to. */
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

export function copyFile(view: WriteView, [from, to, given]: Args): void {
  const mode = given === undefined || given === null ? 0 : readInteger('mode', given, 0, 7)
  const source = view.at(from, 'follow')
  const stats = source.inside ? view.layer.lstat(source.path) : view.host(source).statSync(source.path)
  if (!stats) throw new Errno('ENOENT')
  const exclusive = (mode & constants.COPYFILE_EXCL) !== 0
  const target = view.target(to, followOf(to, exclusive, constants.O_CREAT), 'put')
  view.layer.judge('put', target.path)
  if (target.ending === 'slash') throw new Errno('EISDIR')
  if (exclusive && target.type !== undefined) throw new Errno('EEXIST')
  if (stats.isDirectory() || target.type === 'dir') throw new Errno('EISDIR')
  // The content passes through memory: no copy-on-write clone can be promised.
  if (mode & constants.COPYFILE_FICLONE_FORCE) throw new Errno('ENOTSUP')
  if (source.inside && source.path === target.path) return
  const content = source.inside ? view.layer.read(source.path) : contentOutside(view, source, stats)
  view.layer.put(target.path, content, { mode: stats.mode & 0o7777 })
  view.layer.setattr(target.path, { ...ownerOfCopy(view, target.path, stats), mode: stats.mode & 0o7777 })
}

/** As long as it says it is: a device says 0, and may have no end. */
function contentOutside(view: WriteView, source: Outside, stats: Stats): Uint8Array {
  return stats.isCharacterDevice() || stats.isBlockDevice()
    ? Buffer.alloc(0)
    : view.host(source).readFileSync(source.path)
}

/** The source's owner, where the host's copies keep it and this process may give files away. */
function ownerOfCopy(view: WriteView, path: RelPath, { uid, gid }: Stats): { uid?: number; gid?: number } {
  const made = view.layer.lstat(path)
  const isOther = made?.uid !== uid || made.gid !== gid
  return COPY_KEEPS_OWNER && isOther && mayGive(made, uid, gid) ? { uid, gid } : {}
}
