import { constants } from 'node:fs'
import { inspect } from 'node:util'
import { codeOf, pathText } from '../../overlay/index.js'
import { SYMLINK_TYPE_IS_ARGUMENT } from './host-traits.js'

/** Parses arguments as Node's own functions do. Each argument is read once, and the errors are Node's. */

export interface ArgumentError extends Error {
  code: string
}

function argumentError(code: string, message: string, Kind: ErrorConstructor): ArgumentError {
  const error = new Kind(message) as ArgumentError
  error.code = code
  return error
}

export function invalidType(name: string, expected: string, value: unknown): ArgumentError {
  const received = value === null || value === undefined ? String(value) : describe(value)
  const what = name.includes('.') ? 'property' : 'argument'
  const message = `The "${name}" ${what} must be ${expected}. Received ${received}`
  return argumentError('ERR_INVALID_ARG_TYPE', message, TypeError)
}

export function invalidValue(name: string, value: unknown, why = 'is invalid'): ArgumentError {
  const what = name.includes('.') ? 'property' : 'argument'
  const message = `The ${what} '${name}' ${why}. Received ${inspect(value)}`
  return argumentError('ERR_INVALID_ARG_VALUE', message, TypeError)
}

export function outOfRange(name: string, range: string, value: unknown): ArgumentError {
  const message = `The value of "${name}" is out of range. It must be ${range}. Received ${inspect(value)}`
  return argumentError('ERR_OUT_OF_RANGE', message, RangeError)
}

/** The error for a type of `symlink`; undefined for one that the host takes. */
export function symlinkTypeProblem(type: unknown): ArgumentError | undefined {
  if (type === undefined || type === null || (typeof type === 'string' && SYMLINK_TYPES.includes(type)))
    return undefined
  if (SYMLINK_TYPE_IS_ARGUMENT)
    return invalidValue('type', type, "must be one of: 'dir', 'file', 'junction', null, undefined")
  if (typeof type !== 'string') return undefined
  const message = `Symlink type must be one of "dir", "file", or "junction". Received "${type}"`
  return argumentError('ERR_FS_INVALID_SYMLINK_TYPE', message, Error)
}

const SYMLINK_TYPES = ['dir', 'file', 'junction']

export function fileTooLarge(size: number): ArgumentError {
  return argumentError('ERR_FS_FILE_TOO_LARGE', `File size (${size}) is greater than 2 GiB`, RangeError)
}

export function unopenedBlob(): ArgumentError {
  return argumentError('ERR_INVALID_ARG_VALUE', 'Unable to open file as blob', TypeError)
}

export function incompatible(a: string, b: string): ArgumentError {
  const message = `Option "${a}" cannot be used in combination with option "${b}"`
  return argumentError('ERR_INCOMPATIBLE_OPTION_PAIR', message, TypeError)
}

export function methodMissing(name: string): ArgumentError {
  return argumentError('ERR_METHOD_NOT_IMPLEMENTED', `The ${name} method is not implemented`, Error)
}

export function invalidReturn(expected: string, name: string, value: unknown): ArgumentError {
  const message = `Expected ${expected} to be returned from the "${name}" function but got ${describe(value)}.`
  return argumentError('ERR_INVALID_RETURN_VALUE', message, TypeError)
}

/** Whether an error reports invalid arguments. The callback form throws such an error at once. */
export function isArgumentError(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  return (
    typeof code === 'string' &&
    /^ERR_(INVALID_(ARG|THIS|URL|FILE_URL)|OUT_OF_RANGE|METHOD|INCOMPATIBLE|FS_INVALID|UNKNOWN_ENCODING)/.test(code)
  )
}

function describe(value: unknown): string {
  if (typeof value === 'function') return `function ${value.name}`
  if (typeof value === 'object' && value !== null) {
    const name = (value as { constructor?: { name?: string } }).constructor?.name
    return name ? `an instance of ${name}` : inspect(value, { depth: -1 })
  }
  const text = inspect(value)
  return `type ${typeof value} (${text.length > 28 ? `${text.slice(0, 25)}...` : text})`
}

/** An options argument: absent, an encoding, or an object. A function (a callback in its place) counts as absent. */
export function readOptions(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null || typeof value === 'function') return {}
  if (typeof value === 'string') return { encoding: value }
  if (typeof value !== 'object') throw invalidType('options', 'of type string or an instance of Object', value)
  return value as Record<string, unknown>
}

/** Options that are an object or absent. Only own properties count: an inherited `recursive` removes no tree. */
export function readOwnOptions(value: unknown): Readonly<Record<string, unknown>> {
  if (value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value)))
    throw invalidType('options', 'of type object', value)
  return { ...value }
}

/** Options of which only an object's properties count. Any other value has none. */
export function readLooseOptions(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** The `encoding` option of names: undefined means the default, or a Buffer. */
export function readEncoding(options: Readonly<Record<string, unknown>>): BufferEncoding | undefined {
  return options.encoding === 'buffer' ? undefined : readContentEncoding(options)
}

/** The `encoding` option of content, which is bytes without one. `buffer` is not an encoding here. */
export function readContentEncoding(options: Readonly<Record<string, unknown>>): BufferEncoding | undefined {
  const { encoding } = options
  if (encoding === undefined || encoding === null || encoding === '') return undefined
  if (encoding === 'buffer') throw argumentError('ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`, TypeError)
  if (typeof encoding === 'string' && Buffer.isEncoding(encoding)) return encoding
  throw invalidValue('encoding', encoding, 'is invalid encoding')
}

/** Names and paths are text unless a Buffer was requested. */
export function encodeName(text: string, options: Readonly<Record<string, unknown>>): string | Buffer {
  const { encoding } = options
  if (encoding === 'buffer') return Buffer.from(text)
  const wanted = readEncoding(options)
  return wanted === undefined || wanted === 'utf8' || wanted === 'utf-8' ? text : Buffer.from(text).toString(wanted)
}

/** Whether whole-file calls accept a value as a descriptor. Any other number is an invalid path. */
export function isFd(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31
}

/** The error text for a path with a null byte. */
const NULL_BYTES = 'must be a string, Uint8Array, or URL without null bytes'

/** A path argument as text. Errors name it by `name`. */
export function readPath(name: string, value: unknown): string {
  try {
    return pathText(value)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ERR_INVALID_ARG_TYPE')
      throw invalidType(name, 'of type string or an instance of Buffer or URL', value)
    if (code === 'ERR_INVALID_ARG_VALUE' && !(value instanceof URL)) throw invalidValue(name, value, NULL_BYTES)
    throw error
  }
}

/** An option that must be a boolean if it is present, even as undefined. */
export function readOwnBoolean(options: Readonly<Record<string, unknown>>, name: string, fallback: boolean): boolean {
  if (!Object.hasOwn(options, name)) return fallback
  const value = options[name]
  if (typeof value !== 'boolean') throw invalidType(`options.${name}`, 'of type boolean', value)
  return value
}

export function readBoolean(name: string, value: unknown, fallback: boolean): boolean {
  if (value === undefined) return fallback
  if (typeof value !== 'boolean') throw invalidType(name, 'of type boolean', value)
  return value
}

/** A file mode: a 32-bit number or an octal string. */
export function readMode(value: unknown, fallback: number, name = 'mode'): number {
  if (value === undefined || value === null) return fallback
  if (typeof value === 'string') {
    if (!/^[0-7]+$/.test(value)) throw invalidValue(name, value, 'must be a 32-bit unsigned integer or an octal string')
    return Number.parseInt(value, 8)
  }
  return readInteger(name, value, 0, 2 ** 32 - 1)
}

/** A required file mode. */
export function readGivenMode(value: unknown): number {
  if (value === undefined || value === null) throw invalidType('mode', 'of type number', value)
  return readMode(value, 0)
}

export function readInteger(name: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number') throw invalidType(name, 'of type number', value)
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value)
  if (value < min || value > max) throw outOfRange(name, `>= ${min} && <= ${max}`, value)
  return value
}

const FLAGS: Readonly<Record<string, number>> = {
  r: constants.O_RDONLY,
  rs: constants.O_RDONLY | constants.O_SYNC,
  'r+': constants.O_RDWR,
  'rs+': constants.O_RDWR | constants.O_SYNC,
  w: constants.O_TRUNC | constants.O_CREAT | constants.O_WRONLY,
  wx: constants.O_TRUNC | constants.O_CREAT | constants.O_WRONLY | constants.O_EXCL,
  'w+': constants.O_TRUNC | constants.O_CREAT | constants.O_RDWR,
  'wx+': constants.O_TRUNC | constants.O_CREAT | constants.O_RDWR | constants.O_EXCL,
  a: constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY,
  ax: constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_EXCL,
  as: constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_SYNC,
  'a+': constants.O_APPEND | constants.O_CREAT | constants.O_RDWR,
  'ax+': constants.O_APPEND | constants.O_CREAT | constants.O_RDWR | constants.O_EXCL,
  'as+': constants.O_APPEND | constants.O_CREAT | constants.O_RDWR | constants.O_SYNC,
}
const ALIASES: Readonly<Record<string, string>> = {
  sr: 'rs',
  'sr+': 'rs+',
  xw: 'wx',
  'xw+': 'wx+',
  xa: 'ax',
  'xa+': 'ax+',
  sa: 'as',
  'sa+': 'as+',
}

/** Open flags as a number. */
export function readFlags(value: unknown, fallback: string, name = 'flags'): number {
  if (value === undefined || value === null) return FLAGS[fallback] ?? 0
  if (typeof value === 'number') return readInteger(name, value, 0, 2 ** 31 - 1)
  const flags = typeof value === 'string' ? FLAGS[ALIASES[value] ?? value] : undefined
  if (flags === undefined) throw invalidValue(name, value)
  return flags
}

const WRITING =
  constants.O_WRONLY | constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND | (tmpfile() ?? 0)

/** Whether any flag can change the file: O_RDONLY|O_TRUNC truncates, so it is a write. */
export function isWriting(flags: number): boolean {
  return (flags & WRITING) !== 0
}

function tmpfile(): number | undefined {
  // Linux's O_TMPFILE includes O_DIRECTORY's bit, and Node does not name it.
  return process.platform === 'linux' ? 0o20000000 : undefined
}

/** Content to write: a string in an encoding, or bytes. Does not copy the caller's bytes. */
export function readData(value: unknown, options: Readonly<Record<string, unknown>>): Uint8Array {
  const encoding = readContentEncoding(options) ?? 'utf8'
  if (typeof value === 'string') return Buffer.from(value, encoding)
  if (ArrayBuffer.isView(value)) return bytesOf(value)
  throw invalidType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', value)
}

/** The bytes of a view, without a copy. */
export function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
}

/** The `signal` option. Throws ERR_INVALID_ARG_TYPE for anything else. */
export function readSignal(options: Readonly<Record<string, unknown>>): AbortSignal | undefined {
  const { signal } = options
  if (signal === undefined || signal instanceof AbortSignal) return signal
  throw invalidType('options.signal', 'an instance of AbortSignal', signal)
}

export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal)
}

/** Node's AbortError, with the signal's reason as its cause. */
export function abortError(signal: AbortSignal): Error {
  const error = new Error('The operation was aborted', { cause: signal.reason })
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' })
}
