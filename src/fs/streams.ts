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
    const given = inheritedToo(readOptions(options))
    const args = [path, governed(given, functions)]
    const isDerived = new.target === undefined && this instanceof host
    const made: unknown = isDerived
      ? Reflect.apply(host, this, args)
      : Reflect.construct(host, args, new.target ?? host)
    if (given.fd instanceof GovernedFileHandle) follow(given.fd, isDerived ? this : made)
    return made
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
function governed(options: Record<string, unknown>, functions: StreamFunctions): Record<string, unknown> {
  const { fd } = options
  if (!(fd instanceof GovernedFileHandle)) return { ...options, fs: functions }
  const close = (_: number, callback: (error?: unknown) => void) => {
    fd.release()
    fd[Symbol.asyncDispose]().then(() => callback(), callback)
  }
  return { ...options, fd: fd.fd, fs: { ...functions, close } }
}

/** A stream keeps its handle's descriptor open, and ends when the handle is closed. */
function follow(handle: GovernedFileHandle, stream: unknown): void {
  if (!(stream instanceof fs.ReadStream || stream instanceof fs.WriteStream)) return
  handle.hold()
  handle.on('close', () => stream.close())
}
