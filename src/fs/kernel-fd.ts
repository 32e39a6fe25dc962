import { type BigIntStats, constants, type Stats } from 'node:fs'
import { Errno, pathText, type WriteFile } from '../../overlay/index.js'
import {
  bytesOf,
  fileTooLarge,
  invalidType,
  invalidValue,
  isWriting,
  outOfRange,
  readFlags,
  readGivenMode,
  readInteger,
  readLooseOptions,
  readMode,
} from './args.js'
import { type Descriptor, validFd } from './descriptors.js'
import { type Args, type Form, Spread } from './op-types.js'
import { createdMode, followOf } from './open-rules.js'
import { givenTo, isOwner, mayChown, readId } from './ownership.js'
import { readStatOptions } from './read-options.js'
import { positionAt, readRequest } from './read-request.js'
import { readTimes } from './times.js'
import type { ReadView, WriteView } from './view.js'

/** The bodies of the descriptor ops. Each call is judged by the file's current name. */

export function open(view: WriteView, [path, givenFlags, givenMode]: Args): number {
  const flags = readFlags(typeof givenFlags === 'function' ? undefined : givenFlags, 'r')
  const mode = readMode(typeof givenMode === 'function' ? undefined : givenMode, 0o666)
  if (process.platform === 'linux' && (flags & TMPFILE) === TMPFILE) throw new Errno('ENOTSUP')
  const exclusive = (flags & constants.O_EXCL) !== 0 && (flags & constants.O_CREAT) !== 0
  const follow = followOf(path, exclusive || (flags & (constants.O_NOFOLLOW ?? 0)) !== 0, flags)
  if (!isWriting(flags)) return openForReading(view, path, follow, flags)
  const place = view.target(path, follow, 'put')
  view.layer.judge('put', place.path)
  if (flags & constants.O_CREAT && place.ending === 'slash') throw new Errno('EISDIR')
  if (place.type === undefined) {
    if (!(flags & constants.O_CREAT)) throw new Errno('ENOENT')
    view.layer.put(place.path, new Uint8Array(), { mode: createdMode(mode) })
  } else {
    if (exclusive) throw new Errno('EEXIST')
    checkType(place.type, flags)
    if (place.type === 'dir') throw new Errno('EISDIR')
    if (flags & constants.O_TRUNC) view.layer.setattr(place.path, { size: 0 })
  }
  return view.descriptors.add(view.layer.open(place.path), flags, pathText(path))
}

const TMPFILE = 0o20000000 | (constants.O_DIRECTORY ?? 0)

function openForReading(
  view: WriteView,
  path: unknown,
  follow: 'follow' | 'nofollow' | 'exact',
  flags: number,
): number {
  const place = view.at(path, follow)
  if (!place.inside) return view.descriptors.add(view.openHost(place), flags, pathText(path))
  if (place.type === undefined || view.layer.typeOf(place.path) === undefined) {
    view.onRead(place.path, undefined)
    throw new Errno('ENOENT')
  }
  checkType(place.type, flags)
  const file = view.layer.open(place.path)
  view.onOpen(place)
  return view.descriptors.add(file, flags, pathText(path))
}

function checkType(type: string, flags: number): void {
  if (type === 'symlink') throw new Errno('ELOOP')
  if (flags & (constants.O_DIRECTORY ?? 0) && type !== 'dir') throw new Errno('ENOTDIR')
}

export function close(view: ReadView, [fd]: Args): void {
  view.descriptors.close(fd)
}

export function read(view: ReadView, args: Args, form: Form): unknown {
  const request = readRequest(args, form)
  validFd(args[0])
  // Node does not use the descriptor for an empty read.
  const count = request.view.length === 0 ? 0 : readSome(readable(view, args[0]), request.view, request.position)
  return form === 'sync' ? count : new Spread([count, request.buffer])
}

function readable(view: ReadView, fd: unknown): Descriptor {
  const descriptor = view.descriptors.get(fd)
  if (!descriptor.readable) throw new Errno('EBADF')
  return descriptor
}

function readSome(descriptor: Descriptor, target: Uint8Array, position: number | undefined): number {
  if (target.length === 0) return 0
  const count = descriptor.file.read(target, position ?? descriptor.position)
  if (position === undefined) descriptor.position += count
  return count
}

export function readv(view: ReadView, [fd, buffers, position]: Args, form: Form): unknown {
  const descriptor = readable(view, fd)
  const views = readViews(buffers)
  let at = positionAt(position)
  let total = 0
  for (const each of views) {
    const count = readSome(descriptor, each, at)
    total += count
    if (at !== undefined) at += count
    if (count < each.length) break
  }
  return form === 'sync' ? total : new Spread([total, buffers])
}

function readViews(buffers: unknown): Uint8Array[] {
  if (!Array.isArray(buffers) || !buffers.every((each) => ArrayBuffer.isView(each)))
    throw invalidType('buffers', 'an instance of ArrayBufferView[]', buffers)
  return (buffers as ArrayBufferView[]).map(bytesOf)
}

export function write(view: WriteView, args: Args, form: Form): unknown {
  const { data, position } = writeRequest(args)
  const count = writeSome(writable(view, args[0]), data, position)
  return form === 'sync' ? count : new Spread([count, args[1]])
}

/**
 * write's overloads: (fd, buffer, offset, length, position), (fd, buffer, options), (fd, string, position, encoding).
 */
function writeRequest([, value, ...rest]: Args): { data: Uint8Array; position: number | undefined } {
  if (typeof value === 'string') {
    const [position, encoding] = rest
    return { data: encodeText(value, encoding), position: positionAt(position) }
  }
  if (!ArrayBuffer.isView(value))
    throw invalidType('buffer', 'of type string or an instance of Buffer, TypedArray, or DataView', value)
  const options = typeof rest[0] === 'object' ? readLooseOptions(rest[0]) : undefined
  const [offset, length, position] = options ? [options.offset, options.length, options.position] : rest
  const start = offset === undefined || offset === null ? 0 : readInteger('offset', offset, 0, Number.MAX_SAFE_INTEGER)
  const size =
    typeof length === 'number' ? readInteger('length', length, -(2 ** 31), 2 ** 31 - 1) : value.byteLength - start
  checkRange(start, size, value.byteLength)
  return { data: new Uint8Array(value.buffer, value.byteOffset + start, size), position: positionAt(position) }
}

/** A name that is not an encoding means UTF-8 here. Hexadecimal text has two digits a byte. */
function encodeText(text: string, value: unknown): Buffer {
  const encoding = typeof value === 'string' && Buffer.isEncoding(value) ? value : 'utf8'
  if (/^hex$/i.test(encoding) && text.length % 2 !== 0)
    throw invalidValue('encoding', value, `is invalid for data of length ${text.length}`)
  return Buffer.from(text, encoding)
}

function checkRange(offset: number, length: number, size: number): void {
  if (offset < 0 || offset > size) throw outOfRange('offset', `>= 0 && <= ${size}`, offset)
  if (length < 0 || length > size - offset) throw outOfRange('length', `>= 0 && <= ${size - offset}`, length)
}

function writable(view: WriteView, fd: unknown): Descriptor<WriteFile> {
  const descriptor = view.descriptors.get(fd)
  if (!descriptor.writable) throw new Errno('EBADF')
  return descriptor
}

function writeSome(descriptor: Descriptor<WriteFile>, data: Uint8Array, position: number | undefined): number {
  if (data.length === 0) return 0
  const at = descriptor.append ? descriptor.file.stat().size : (position ?? descriptor.position)
  descriptor.file.write(data, at)
  if (position === undefined) descriptor.position = at + data.length
  return data.length
}

export function writev(view: WriteView, [fd, buffers, position]: Args, form: Form): unknown {
  const descriptor = writable(view, fd)
  const data = Buffer.concat(readViews(buffers))
  const count = writeSome(descriptor, data, positionAt(position))
  return form === 'sync' ? count : new Spread([count, buffers])
}

export function fstat(view: ReadView, [fd, given]: Args, form: Form): Stats | BigIntStats {
  const { file } = view.descriptors.get(fd)
  return readStatOptions(given, form).bigint === true ? file.statBig() : file.stat()
}

/** Makes the staged content durable, in the stage's log. The disk is not touched. */
export function fsync(view: ReadView, [fd]: Args): void {
  view.descriptors.get(fd)
  view.sync()
}

export function ftruncate(view: WriteView, [fd, length]: Args): void {
  const descriptor = view.descriptors.get(fd)
  const size = length === undefined ? 0 : readInteger('len', length, -MAX, MAX)
  if (!descriptor.writable) throw new Errno('EINVAL')
  descriptor.file.setattr({ size: Math.max(0, size) })
}

const MAX = Number.MAX_SAFE_INTEGER

export function fchmod(view: WriteView, [fd, given]: Args): void {
  const mode = readGivenMode(given)
  const { file } = view.descriptors.get(fd)
  if (!isOwner(file.stat())) throw new Errno('EPERM')
  file.setattr({ mode: mode & 0o7777 })
}

export function fchown(view: WriteView, [fd, givenUid, givenGid]: Args): void {
  const [uid, gid] = [readId('uid', givenUid), readId('gid', givenGid)]
  const { file } = view.descriptors.get(fd)
  const stats = file.stat()
  if (!mayChown(stats, uid, gid)) throw new Errno('EPERM')
  file.setattr(givenTo(stats, uid, gid))
}

export function futimes(view: WriteView, [fd, atime, mtime]: Args): void {
  const times = readTimes(atime, mtime)
  const { file } = view.descriptors.get(fd)
  if (!isOwner(file.stat())) throw new Errno('EPERM')
  file.setattr(times)
}

// ---- whole files by descriptor

/** Reads from the descriptor's position to the end. */
export function readRest(descriptor: Descriptor): Buffer {
  if (!descriptor.readable) throw new Errno('EBADF', 'read', true)
  const { size } = descriptor.file.stat()
  if (size > LONGEST_READ) throw fileTooLarge(size)
  const chunks: Buffer[] = []
  for (;;) {
    const remaining = descriptor.file.stat().size - descriptor.position
    const chunk = Buffer.alloc(Math.max(remaining, CHUNK))
    const count = readSome(descriptor, chunk, undefined)
    if (count === 0) return Buffer.concat(chunks)
    chunks.push(chunk.subarray(0, count))
  }
}

const CHUNK = 512
/** The limit of bytes in one read by Node. */
const LONGEST_READ = 2 ** 31 - 1

/** Writes at the descriptor's position, as write(2) does: nothing after it is truncated. */
export function writeRest(descriptor: Descriptor<WriteFile>, data: Uint8Array): void {
  if (!descriptor.writable) throw new Errno('EBADF', 'write', true)
  writeSome(descriptor, data, undefined)
}
