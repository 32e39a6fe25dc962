import { Errno, fsError } from '../../overlay/index.js'
import { type Denial, Denied, denialError } from '../core/denials.js'
import { bytesOf, invalidType, isArgumentError } from './args.js'
import { later, promiseOf } from './fairness.js'
import { InnerFailure } from './inner-call.js'
import { type Args, type Form, Spread } from './op-types.js'
import type { DerivedRow, Row } from './ops.js'
import type { View } from './view.js'

/** Derives the three forms (sync, callback, promise) of an op from one body. */

export interface DeriveDeps {
  readonly view: View
  /** Called for each refusal that reaches a caller. */
  readonly denied: (denial: Denial) => void
}

export type Body = (args: Args) => unknown
export type AnyFunction = (...args: unknown[]) => unknown
type Promised = (...args: unknown[]) => Promise<unknown>

/** The sync body of a row: runs on the view, and adds the call and the requested path to each error. */
export function bodyOf(stem: string, row: Exclude<Row, DerivedRow>, form: Form, deps: DeriveDeps): Body {
  if (row.kind === 'refused') return () => refuse(stem, row.why, deps)
  const syscall = typeof row.syscall === 'string' ? row.syscall : row.syscall(form)
  return (args) => {
    const outer = deps.view.begin()
    try {
      const answer = row.run(deps.view, args, form)
      if (!(answer instanceof Promise)) return answer
      return answer.catch((error: unknown) => {
        throw asFsError(error, syscall, displayPaths(args, row.paths), deps)
      })
    } catch (error) {
      throw asFsError(error, syscall, displayPaths(args, row.paths), deps)
    } finally {
      deps.view.end(outer)
    }
  }
}

/** Errors of `fs.watch` also have the path as `filename`. */
export function watchForm(body: Body): AnyFunction {
  return (...args) => {
    try {
      return body(args)
    } catch (error) {
      if (error instanceof Error && 'path' in error) Object.assign(error, { filename: error.path })
      throw error
    }
  }
}

export function refuse(stem: string, why: string, deps: DeriveDeps): never {
  const denial: Denial = { reason: 'unsupported', message: `fs.${stem} is refused. ${why}` }
  deps.denied(denial)
  throw denialError(denial, stem)
}

/** The path arguments as Node prints them in an error. */
function displayPaths(args: Args, paths: number): (string | undefined)[] {
  return args.slice(0, paths).map((path) => {
    if (path instanceof URL) return decodeURIComponent(path.pathname)
    return typeof path === 'string' ? path : path instanceof Uint8Array ? Buffer.from(path).toString() : undefined
  })
}

type DisplayPaths = readonly (string | undefined)[]

function asFsError(error: unknown, syscall: string, [path, dest]: DisplayPaths, deps: DeriveDeps): unknown {
  if (error instanceof InnerFailure) return asFsError(error.failure, error.syscall, error.paths, deps)
  if (error instanceof Denied) {
    deps.denied(error.denial)
    if (error.shown !== undefined) return asFsError(error.shown, syscall, [path, dest], deps)
    return denialError(error.denial, syscall, path, dest)
  }
  if (error instanceof Errno)
    return error.pathless
      ? fsError(error.code, error.syscall ?? syscall)
      : fsError(error.code, error.syscall ?? syscall, path, dest)
  return relabelError(error, syscall, path, dest)
}

/** Replaces the host's path in a host error by the requested path. */
function relabelError(error: unknown, syscall: string, path: string | undefined, dest: string | undefined): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error) || 'info' in error) return error
  if (!('path' in error)) return error
  return fsError(String(error.code), syscall, path, dest)
}

export function syncForm(body: Body): AnyFunction {
  return (...args) => body(args)
}

/**
 * Runs at once, so that a later change of a buffer has no effect. The callback runs in a turn of its own, as in Node.
 */
export function callbackForm(body: Body, name = 'cb'): AnyFunction {
  return (...args) => {
    const callback = args.at(-1)
    if (typeof callback !== 'function') throw invalidType(name, 'of type function', undefined)
    const answer = settle(body, args.slice(0, -1))
    if ('error' in answer && isArgumentError(answer.error)) throw answer.error
    if ('value' in answer && answer.value instanceof Promise) {
      answer.value.then(
        (value: unknown) => later(() => callBack(callback, { value })),
        (error: unknown) => later(() => callBack(callback, { error })),
      )
    } else later(() => callBack(callback, answer))
  }
}

/**
 * `fs.close` may be called without a callback. Then Node throws a failure where nobody can catch it; this throws at
 * once.
 */
export function closeForm(body: Body): AnyFunction {
  const close = callbackForm(body)
  return (fd, callback) => (callback === undefined ? void body([fd]) : close(fd, callback))
}

type Answer = { readonly error: unknown } | { readonly value: unknown }

function callBack(callback: unknown, answer: Answer): void {
  const call = callback as AnyFunction
  if ('error' in answer) call(answer.error)
  else if (answer.value instanceof Spread) call(null, ...answer.value.values)
  else if (answer.value === undefined) call(null)
  else call(null, answer.value)
}

export function settle(body: Body, args: Args): Answer {
  try {
    return { value: body(args) }
  } catch (error) {
    return { error }
  }
}

/** `fs.exists` calls back with the answer and without an error. */
export function existsCallbackForm(body: Body): AnyFunction {
  return (path, callback) => {
    if (typeof callback !== 'function') throw invalidType('cb', 'of type function', callback)
    const found = body([path])
    later(() => callback(found))
  }
}

export function promiseForm(body: Body): Promised {
  return (...args) => promiseOf(() => body(args))
}

/** The promise forms of writeFile and appendFile also take (async) iterables of chunks, which are collected first. */
export function contentPromiseForm(body: Body): Promised {
  return (path, data, options) =>
    promiseOf(() => {
      if (!isChunks(data)) return body([path, data, options])
      return gather(data, options).then((content) => body([path, content, options]))
    })
}

type Chunks = Iterable<unknown> | AsyncIterable<unknown>

function isChunks(data: unknown): data is Chunks {
  if (typeof data !== 'object' || data === null || ArrayBuffer.isView(data)) return false
  return Symbol.asyncIterator in data || Symbol.iterator in data
}

/** Copies each chunk when it arrives, because the producer may reuse its buffer. */
async function gather(data: Chunks, options: unknown): Promise<Buffer> {
  const encoding = typeof options === 'string' ? options : (options as { encoding?: string } | undefined)?.encoding
  const chunks: Buffer[] = []
  for await (const chunk of data) {
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk, (encoding ?? 'utf8') as BufferEncoding))
    else if (ArrayBuffer.isView(chunk)) chunks.push(Buffer.from(bytesOf(chunk)))
    else throw invalidType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', chunk)
  }
  return Buffer.concat(chunks)
}
