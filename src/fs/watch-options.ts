import picomatch from 'picomatch'
import { invalidType, invalidValue, readBoolean, readEncoding, readInteger, readOptions } from './args.js'
import type { Form } from './op-types.js'

/** The options of `fs.watch` and `fs.promises.watch`, checked as the host checks them. */
export interface WatchOptions {
  readonly persistent: boolean
  readonly recursive: boolean
  readonly encoding: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal | undefined
  ignores(filename: string): boolean
}

/** Throws ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE. */
export function readWatchOptions(value: unknown, form: Form): WatchOptions {
  if (form === 'promise' && value !== undefined && (typeof value !== 'object' || value === null))
    throw invalidType('options', 'of type object', value)
  if (value !== null && !['undefined', 'function', 'string', 'object'].includes(typeof value))
    throw invalidType('options', 'one of type string or object', value)
  const options = readOptions(value)
  const { persistent, recursive, signal, ignore } = options
  readEncoding(options)
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw invalidType('options.signal', 'an instance of AbortSignal', signal)
  return {
    // Only the promise form checks this. The callback form takes any value.
    persistent:
      form === 'promise' ? readBoolean('options.persistent', persistent, true) : (persistent ?? true) !== false,
    recursive: readBoolean('options.recursive', recursive ?? undefined, false),
    encoding: { encoding: options.encoding },
    signal,
    ignores: readIgnore(ignore),
  }
}

type Matcher = (filename: string) => boolean

function readIgnore(ignore: unknown): Matcher {
  if (ignore === undefined || ignore === null) return () => false
  const matchers = Array.isArray(ignore)
    ? ignore.map((each, i) => matcherOf(each, `options.ignore[${i}]`))
    : [matcherOf(ignore, 'options.ignore')]
  return (filename) => matchers.some((matches) => matches(filename))
}

function matcherOf(pattern: unknown, name: string): Matcher {
  if (typeof pattern === 'function') return (filename) => Boolean(pattern(filename))
  if (pattern instanceof RegExp) return (filename) => filename.search(pattern) >= 0
  if (typeof pattern === 'string' && pattern !== '')
    return picomatch(pattern, { dot: true, nonegate: true, basename: true })
  if (pattern === '') throw invalidValue(name, pattern, 'must be a non-empty string')
  throw invalidType(name, 'one of type string or function or an instance of RegExp', pattern)
}

/** How many events wait for a slow reader of `fs.promises.watch`, and whether more of them are dropped or an error. */
export interface QueueOptions {
  readonly maxQueue: number
  readonly overflow: 'ignore' | 'error'
}

/** Throws ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_OUT_OF_RANGE. */
export function readQueueOptions(options: unknown): QueueOptions {
  const { maxQueue = 2048, overflow = 'ignore' } = readOptions(options)
  if (overflow !== 'ignore' && overflow !== 'error')
    throw invalidValue('options.overflow', overflow, "must be one of: 'ignore', 'error'")
  return { maxQueue: readInteger('options.maxQueue', maxQueue, -(2 ** 31), 2 ** 31 - 1), overflow }
}
