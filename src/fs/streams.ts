import fs from 'node:fs'
import { methodMissing, readOptions } from './args.js'
import { GovernedFileHandle } from './file-handle.js'

/**
 * Streams are the host's own classes, which use the facade by their documented `fs` option: start, end, flags,
 * highWaterMark, signal, autoClose and flush behave as Node's because they are Node's. Like Node's own, they call the
 * facade's current functions, including patched ones.
 */

type StreamClass = (path: unknown, options?: unknown) => unknown

export interface Streams {
  readonly ReadStream: StreamClass
  readonly WriteStream: StreamClass
  createReadStream(path: unknown, options?: unknown): unknown
  createWriteStream(path: unknown, options?: unknown): unknown
}

export function governedStreams(facade: typeof fs): Streams {
  const ReadStream = streamClass(fs.ReadStream, facade)
  const WriteStream = streamClass(fs.WriteStream, facade)
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
 * A class that works with and without `new`, and on an object of an old-style derived class (graceful-fs has one). Its
 * objects are `instanceof` the host's class.
 */
function streamClass(host: typeof fs.ReadStream | typeof fs.WriteStream, facade: typeof fs): StreamClass {
  function Stream(this: unknown, path: unknown, options?: unknown): unknown {
    const fields = withInherited(readOptions(options))
    const args = [path, governedOptions(fields, facade)]
    const isDerived = new.target === undefined && this instanceof host
    const stream: unknown = isDerived
      ? Reflect.apply(host, this, args)
      : Reflect.construct(host, args, new.target ?? host)
    if (fields.fd instanceof GovernedFileHandle) follow(fields.fd, isDerived ? this : stream)
    return stream
  }
  Object.defineProperty(Stream, 'name', { value: host.name })
  Stream.prototype = host.prototype
  return Stream
}

/** Node's streams read inherited options, unlike most of its functions. */
function withInherited(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const all: Record<string, unknown> = {}
  for (const name in options) all[name] = options[name]
  return all
}

const FUNCTIONS = ['open', 'close', 'read', 'write', 'writev', 'fsync'] as const

/** The caller's options with our functions in place of any others, and the number of a handle of ours. */
function governedOptions(options: Record<string, unknown>, facade: typeof fs): Record<string, unknown> {
  const { fd } = options
  const implementation = options.fs
  if (!(fd instanceof GovernedFileHandle))
    return { ...options, fs: implementation ? inPlaceOf(Object(implementation), facade) : facade }
  if (implementation) throw methodMissing('FileHandle with fs')
  return { ...options, fd: fd.fd, fs: handleFunctions(fd) }
}

/** Replaces the caller's functions by ours. Missing ones stay missing: Node's classes refuse that, or do without. */
function inPlaceOf(implementation: object, facade: typeof fs): Record<string, unknown> {
  const part = (name: (typeof FUNCTIONS)[number]): unknown => {
    const value: unknown = Reflect.get(implementation, name)
    return typeof value === 'function' ? facade[name] : value
  }
  return Object.fromEntries(FUNCTIONS.map((name) => [name, part(name)]))
}

type Callback = (error?: unknown, count?: number, buffers?: unknown) => void

/** A stream of a handle calls the handle's own methods, including patched ones. */
function handleFunctions(handle: GovernedFileHandle): Record<string, unknown> {
  const call = (name: string, args: readonly unknown[]): Promise<Record<string, unknown>> =>
    Reflect.apply(Reflect.get(handle, name), handle, args)
  const countedCall =
    (name: string, count: string) =>
    (_: number, buffers: unknown, ...rest: unknown[]) => {
      const done = rest.pop() as Callback
      call(name, [buffers, ...rest]).then(
        (result) => done(null, Number(result[count]), buffers),
        (error: unknown) => done(error, 0, buffers),
      )
    }
  const plainCall = (name: string, done: Callback) => {
    call(name, []).then(() => done(), done)
  }
  return {
    read: countedCall('read', 'bytesRead'),
    write: countedCall('write', 'bytesWritten'),
    writev: countedCall('writev', 'bytesWritten'),
    fsync: (_: number, done: Callback) => plainCall('sync', done),
    close: (_: number, done: Callback) => {
      handle.release()
      plainCall('close', done)
    },
  }
}

/** A stream keeps its handle's descriptor open, and ends when the handle is closed. */
function follow(handle: GovernedFileHandle, stream: unknown): void {
  if (!(stream instanceof fs.ReadStream || stream instanceof fs.WriteStream)) return
  handle.hold()
  handle.on('close', () => stream.close())
}
