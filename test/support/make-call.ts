import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** Calls a function in its form, and consumes its result: streams, handles, iterators. */

export type Callable = (...args: unknown[]) => unknown

/** A function of the facade, with its op and form. */
export interface FsFunction {
  readonly name: string
  readonly stem: string
  readonly form: 'plain' | 'callback' | 'promise' | 'new'
  readonly call: Callable
}

const PLAIN = ['createReadStream', 'createWriteStream', 'openAsBlob', 'watch', 'watchFile', 'unwatchFile']

/** The facade's version of every function that the running Node exports. */
export function functionsOf(api: typeof fs): FsFunction[] {
  const fsFunction = (name: string, call: unknown, form: FsFunction['form'], stem = name): FsFunction[] =>
    typeof call === 'function' ? [{ name, stem, form, call: call as Callable }] : []
  const functions = Object.keys(fs).flatMap((name) => {
    const call: unknown = Reflect.get(api, name)
    if (/^[A-Z]/.test(name)) {
      const stem = name.replace('File', '').replace(/^(Read|Write)/, 'create$1')
      return [...fsFunction(name, call, 'plain', stem), ...fsFunction(`new ${name}`, call, 'new', stem)]
    }
    if (name.endsWith('Sync')) return fsFunction(name, call, 'plain', name.slice(0, -4))
    const hasCallback = !PLAIN.includes(name) && (`${name}Sync` in fs || name === 'exists')
    return [
      ...fsFunction(name, call, hasCallback ? 'callback' : 'plain'),
      ...(hasCallback ? fsFunction(name, call, 'plain') : []),
    ]
  })
  const promiseFunctions = Object.keys(fs.promises).flatMap((name) =>
    fsFunction(`promises.${name}`, Reflect.get(api.promises, name), 'promise', name),
  )
  return [
    ...[...functions, ...promiseFunctions],
    ...fsFunction('realpath.native', Reflect.get(api.realpath, 'native'), 'callback', 'realpath'),
    ...fsFunction('realpathSync.native', Reflect.get(api.realpathSync, 'native'), 'plain', 'realpath'),
  ]
}

/** True if a call and the use of its result succeed. A result of `false` counts as failure. */
export async function makeCall(api: typeof fs, fsFunction: FsFunction, args: readonly unknown[]): Promise<boolean> {
  try {
    const value = await withTimeout(fsFunction, args, start(fsFunction, args))
    return (await withTimeout(fsFunction, args, drain(api, fsFunction, value))) !== false
  } catch (error) {
    if (error instanceof HangingError) throw error
    return false
  }
}

function start({ call, form }: FsFunction, args: readonly unknown[]): unknown {
  if (form === 'new') return Reflect.construct(call, args)
  if (form !== 'callback') return call(...args)
  return new Promise((resolve, reject) => {
    const done = (error: unknown, ...values: unknown[]) =>
      typeof error === 'boolean' ? resolve(error) : error ? reject(error) : resolve(values[0])
    call(...args, done)
  })
}

/** Only names the hanging call. The suite's timeout would not. */
const PATIENCE_MS = 20_000

class HangingError extends Error {}

async function withTimeout<T>({ name }: FsFunction, args: readonly unknown[], answer: T): Promise<Awaited<T>> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    const types = args.map((arg) => (typeof arg === 'symbol' ? 'symbol' : `${typeof arg}`)).join(', ')
    timer = setTimeout(() => reject(new HangingError(`fs.${name}(${types}) hangs`)), PATIENCE_MS)
  })
  try {
    return await Promise.race([answer, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Reads, writes and closes the result of a call. */
async function drain(api: typeof fs, { stem }: FsFunction, value: unknown): Promise<unknown> {
  if (stem === 'open' && typeof value === 'number') api.closeSync(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof fs.ReadStream || value instanceof fs.WriteStream) return drainStream(value)
  if (value instanceof Blob) return Buffer.from(await value.arrayBuffer())
  // A Dir made by its constructor has no directory, and reading it never ends.
  if (value instanceof fs.Dir) return stem === 'opendir' ? drainDir(value) : value
  if (value instanceof EventEmitter) value.setMaxListeners(0).on('error', () => undefined)
  if (stem === 'glob') return (Array.isArray(value) ? value : await collect(value as AsyncIterable<unknown>)).length > 0
  if (stem.endsWith('readLines')) return collect(value as AsyncIterable<unknown>)
  if (stem === 'open') await (value as FileHandle).close()
  else if ('close' in value && typeof value.close === 'function') value.close()
  else if (stem === 'watch') await (value as AsyncIterator<unknown>).return?.()
  else if ('remove' in value && typeof value.remove === 'function') await value.remove()
  else if (Symbol.asyncIterator in value) return collect(value as AsyncIterable<unknown>)
  return value
}

async function drainDir(dir: fs.Dir): Promise<unknown> {
  const names = await collect(dir)
  return names.length > 0
}

async function collect(values: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const value of values) found.push(value)
  return found
}

function drainStream(stream: fs.ReadStream | fs.WriteStream): Promise<unknown> {
  return new Promise((resolve) => {
    let result: unknown = false
    stream.on('error', () => resolve(false))
    stream.on('close', () => resolve(result))
    stream.on('finish', () => stream.destroy())
    stream.on('end', () => stream.destroy())
    if (stream instanceof fs.WriteStream) stream.end('changed', () => (result = stream.bytesWritten))
    else stream.on('data', (chunk) => (result = chunk))
  })
}
