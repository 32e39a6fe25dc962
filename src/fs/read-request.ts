import { invalidType, invalidValue, outOfRange, readInteger } from './args.js'
import { bigintPositions } from './host-traits.js'
import type { Args, Form } from './op-types.js'

/** The arguments of `read`. */

export interface ReadRequest {
  readonly buffer: unknown
  readonly view: Uint8Array
  readonly position: number | undefined
}

/**
 * read's overloads: (fd, buffer, offset, length, position), (fd, buffer, options), (fd, options), (fd). Each form
 * distinguishes them differently.
 */
export function readRequest([, first, ...rest]: Args, form: Form): ReadRequest {
  const isBuffer = ArrayBuffer.isView(first)
  const options = readRequestOptions(first, rest, form)
  const isGiven = isBuffer || form === 'sync' || !options
  const buffer = isGiven ? first : (options.buffer ?? Buffer.alloc(16_384))
  if (!ArrayBuffer.isView(buffer)) throw invalidType('buffer', 'an instance of Buffer, TypedArray, or DataView', buffer)
  const [offset, length, position] = options ? [options.offset, options.length, options.position] : rest
  const start = offset === undefined || offset === null ? 0 : readInteger('offset', offset, 0, Number.MAX_SAFE_INTEGER)
  const isWhole = form === 'promise' ? (length ?? undefined) === undefined : options && length === undefined
  const size = isWhole ? buffer.byteLength - start : Number(length ?? 0) | 0
  if (size !== 0 && buffer.byteLength === 0) throw invalidValue('buffer', buffer, 'is empty and cannot be written')
  if (size < 0) throw outOfRange('length', '>= 0', size)
  // Node allows no more than this: a read must not go beyond the buffer.
  if (size === 0) return { buffer, view: new Uint8Array(), position: undefined }
  if (start + size > buffer.byteLength) throw outOfRange('length', `<= ${buffer.byteLength - start}`, size)
  const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset + start, size)
  return { buffer, view: bytes, position: readPosition(position, size) }
}

type Options = Readonly<Record<string, unknown>>

/** Undefined if the arguments are positional. */
function readRequestOptions(first: unknown, rest: Args, form: Form): Options | undefined {
  const [second] = rest
  if (form === 'callback' && rest.length > 1) return undefined
  if (form !== 'sync' && !ArrayBuffer.isView(first)) return first === undefined ? {} : nullableOptions(first)
  if (form === 'promise') return typeof second === 'object' && second !== null ? nullableOptions(second) : undefined
  if (rest.length === 0) return {}
  if (form === 'callback') return nullableOptions(second)
  if (second === undefined) return rest.length === 1 ? {} : undefined
  return rest.length === 1 || typeof second === 'object' ? nullableOptions(second) : undefined
}

function nullableOptions(value: unknown): Options {
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw invalidType('options', 'of type object', value)
  return { ...value }
}

/** null, undefined and -1 mean the descriptor's own position. */
function readPosition(position: unknown, length: number): number | undefined {
  if (position === undefined || position === null) return undefined
  if (typeof position !== 'bigint') return positionAt(readInteger('position', position, -1, MAX))
  const [least, most] = bigintPositions(length)
  if (position < least || position > most) throw outOfRange('position', `>= ${least} && <= ${most}`, position)
  // No file is long enough for the difference to matter.
  return positionAt(Number(position > MAX ? MAX : position))
}

/** Where Node does not check a position strictly, everything but a whole number from 0 means the descriptor's own. */
export function positionAt(position: unknown): number | undefined {
  return typeof position === 'number' && Number.isSafeInteger(position) && position >= 0 ? position : undefined
}

const MAX = Number.MAX_SAFE_INTEGER
