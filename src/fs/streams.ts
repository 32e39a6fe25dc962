import fs from 'node:fs'
import { readOptions } from './args.js'
import { GovernedFileHandle } from './file-handle.js'

/**
 * Streams are the host's own classes, given our `open`, `read`, `write` and `close` by their documented `fs` option:
 * start, end, flags, highWaterMark, signal, autoClose and flush behave as Node's because they are Node's.
 */

/** The functions a stream of Node works through, in callback form. */
export type StreamFunctions = Pick<typeof fs, 'open' | 'close' | 'read' | 'write' | 'writev' | 'fsync'>

type StreamClass = (path: unknown, options?: unknown) => unknown

export interface Streams {
  readonly ReadStream: StreamClass
  readonly WriteStream: StreamClass
  createReadStream(path: unknown, options?: unknown): unknown
  createWriteStream(path: unknown, options?: unknown): unknown
}

export function governedStreams(functions: StreamFunctions): Streams {
  const ReadStream = streamClass(fs.ReadStream, functions)
  const WriteStream = streamClass(fs.WriteStream, functions)
  return {
    ReadStream,
    WriteStream,
    createReadStream: function create(path, options) {
      return Reflect.construct(ReadStream, [path, options])
    },
    createWriteStream: function create(path, options) {
      return Reflect.construct(WriteStream, [path, options])
    },
  }
}

/**
 * Callable with and without `new`, as the host's, and on an object of a class derived the old way (graceful-fs does so);
 * what it makes is `instanceof` the host's class.
 */
function streamClass(host: typeof fs.ReadStream | typeof fs.WriteStream, functions: StreamFunctions): StreamClass {
  function Stream(this: unknown, path: unknown, options?: unknown): unknown {
    const args = [path, governed(options, functions)]
    if (new.target === undefined && this instanceof host) return Reflect.apply(host, this, args)
    return Reflect.construct(host, args, new.target ?? host)
  }
  Object.defineProperty(Stream, 'name', { value: host.name })
  Stream.prototype = host.prototype
  return Stream
}

/** Node's streams heed what their options inherit, unlike most of its functions. */
function inheritedToo(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const all: Record<string, unknown> = {}
  for (const name in options) all[name] = options[name]
  return all
}

/** The caller's options with our functions in place of any others, and a handle of ours as its number. */
function governed(given: unknown, functions: StreamFunctions): Record<string, unknown> {
  const options = inheritedToo(readOptions(given))
  const { fd } = options
  if (!(fd instanceof GovernedFileHandle)) return { ...options, fs: functions }
  const close = (_: number, callback: (error?: unknown) => void) => {
    fd[Symbol.asyncDispose]().then(() => callback(), callback)
  }
  return { ...options, fd: fd.fd, fs: { ...functions, close } }
}
