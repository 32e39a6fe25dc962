import {
  bytesOf,
  checkSignal,
  invalidType,
  invalidValue,
  readLooseOptions,
  readOwnOptions,
  readSignal,
} from './args.js'
import { READS_INTO_BUFFERS, STAT_PROMISE_CHECKS_OPTIONS } from './host-traits.js'
import type { Form } from './op-types.js'

/** Options of `stat`, `lstat`, a handle's `stat` and `readFile` that only some releases of Node have. */

/** The options of `stat`. Throws ERR_INVALID_ARG_TYPE or AbortError in the promise form, if the host does. */
export function readStatOptions(value: unknown, form: Form): Readonly<Record<string, unknown>> {
  if (form !== 'promise' || !STAT_PROMISE_CHECKS_OPTIONS) return readLooseOptions(value)
  readOwnOptions(value)
  const options = readLooseOptions(value)
  checkSignal(readSignal(options))
  return options
}

/** The memory that `readFile` fills, or a function that returns it for a size in bytes. */
export type ReadTarget = ArrayBufferView | ((size: number) => unknown)

/** The `buffer` option of `readFile`; undefined if it is absent or the host does not have it. Throws ERR_INVALID_ARG_TYPE. */
export function readBufferOption({ buffer }: Readonly<Record<string, unknown>>): ReadTarget | undefined {
  if (buffer === undefined || !READS_INTO_BUFFERS) return undefined
  if (ArrayBuffer.isView(buffer)) return buffer
  if (typeof buffer === 'function') return (size) => buffer(size)
  throw invalidType('options.buffer', 'of type function or an instance of Buffer, TypedArray, or DataView', buffer)
}

/**
 * Copies content into the memory of the `buffer` option. Returns the filled part as a Buffer.
 * Throws ERR_INVALID_ARG_TYPE if a function returns no view, and ERR_INVALID_ARG_VALUE if the memory is too small.
 */
export function fillTarget(target: ReadTarget, content: Buffer): Buffer {
  const isCalled = typeof target === 'function'
  const result: unknown = isCalled ? target(content.length) : target
  if (!ArrayBuffer.isView(result))
    throw invalidType('options.buffer()', 'an instance of Buffer, TypedArray, or DataView', result)
  const bytes = bytesOf(result)
  const name = isCalled ? 'options.buffer().byteLength' : 'options.buffer.byteLength'
  const why = `is smaller than the file size of ${content.length} bytes`
  if (bytes.length < content.length) throw invalidValue(name, bytes.length, why)
  bytes.set(content)
  return Buffer.from(bytes.buffer, bytes.byteOffset, content.length)
}
