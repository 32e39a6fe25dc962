import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** Calls a function in the form its name says, and follows what it answers to its end: streams, handles, iterators. */

export type Callable = (...args: unknown[]) => unknown

/** One function of the facade, by its name and the op it is a form of. */
export interface Face {
  readonly name: string
  readonly stem: string
  readonly form: 'plain' | 'callback' | 'promise' | 'new'
  readonly call: Callable
}

const PLAIN = ['createReadStream', 'createWriteStream', 'openAsBlob', 'watch', 'watchFile', 'unwatchFile']

/** Every function the running host exports, as this facade has it. */
export function facesOf(api: typeof fs): Face[] {
  const face = (name: string, call: unknown, form: Face['form'], stem = name): Face[] =>
    typeof call === 'function' ? [{ name, stem, form, call: call as Callable }] : []
  const functions = Object.keys(fs).flatMap((name) => {
    const call: unknown = Reflect.get(api, name)
    if (/^[A-Z]/.test(name)) {
      const stem = name.replace('File', '').replace(/^(Read|Write)/, 'create$1')
      return [...face(name, call, 'plain', stem), ...face(`new ${name}`, call, 'new', stem)]
    }
    if (name.endsWith('Sync')) return face(name, call, 'plain', name.slice(0, -4))
    const hasCallback = !PLAIN.includes(name) && (`${name}Sync` in fs || name === 'exists')
    return [...face(name, call, hasCallback ? 'callback' : 'plain'), ...(hasCallback ? face(name, call, 'plain') : [])]
  })
  const promised = Object.keys(fs.promises).flatMap((name) =>
    face(`promises.${name}`, Reflect.get(api.promises, name), 'promise', name),
  )
  return [
    ...[...functions, ...promised],
    ...face('realpath.native', Reflect.get(api.realpath, 'native'), 'callback', 'realpath'),
    ...face('realpathSync.native', Reflect.get(api.realpathSync, 'native'), 'plain', 'realpath'),
  ]
}

/** Whether a call came to a good end, what it handed out included; `false`, too, says that there is nothing. */
export async function makeCall(api: typeof fs, face: Face, args: readonly unknown[]): Promise<boolean> {
  try {
    const answered = await withinPatience(face, args, start(face, args))
    return (await withinPatience(face, args, drained(api, face, answered))) !== false
  } catch (error) {
    if (error instanceof Hanging) throw error
    return false
  }
}

function start({ call, form }: Face, args: readonly unknown[]): unknown {
  if (form === 'new') return Reflect.construct(call, args)
  if (form !== 'callback') return call(...args)
  return new Promise((resolve, reject) => {
    const done = (error: unknown, ...values: unknown[]) =>
      typeof error === 'boolean' ? resolve(error) : error ? reject(error) : resolve(values[0])
    call(...args, done)
  })
}

/** Not an assertion about time: it gives what hangs a name, where the suite's own limit would give none. */
const PATIENCE_MS = 20_000

class Hanging extends Error {}

async function withinPatience<T>({ name }: Face, args: readonly unknown[], answer: T): Promise<Awaited<T>> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const shown = args.map((arg) => (typeof arg === 'symbol' ? 'symbol' : `${typeof arg}`)).join(', ')
    timer = setTimeout(() => reject(new Hanging(`fs.${name}(${shown}) hangs`)), PATIENCE_MS)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Reads, writes and closes what a call handed out. */
async function drained(api: typeof fs, { stem }: Face, value: unknown): Promise<unknown> {
  if (stem === 'open' && typeof value === 'number') api.closeSync(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof fs.ReadStream || value instanceof fs.WriteStream) return drainedStream(value)
  if (value instanceof Blob) return Buffer.from(await value.arrayBuffer())
  // A Dir made by hand has no directory behind it, and never ends.
  if (value instanceof fs.Dir) return stem === 'opendir' ? drainedDir(value) : value
  if (value instanceof EventEmitter) value.setMaxListeners(0).on('error', () => undefined)
  if (stem === 'glob')
    return (Array.isArray(value) ? value : await gathered(value as AsyncIterable<unknown>)).length > 0
  if (stem.endsWith('readLines')) return gathered(value as AsyncIterable<unknown>)
  if (stem === 'open') await (value as FileHandle).close()
  else if ('close' in value && typeof value.close === 'function') value.close()
  else if (stem === 'watch') await (value as AsyncIterator<unknown>).return?.()
  else if ('remove' in value && typeof value.remove === 'function') await value.remove()
  else if (Symbol.asyncIterator in value) return gathered(value as AsyncIterable<unknown>)
  return value
}

async function drainedDir(dir: fs.Dir): Promise<unknown> {
  const names = await gathered(dir)
  return names.length > 0
}

async function gathered(values: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const value of values) found.push(value)
  return found
}

function drainedStream(stream: fs.ReadStream | fs.WriteStream): Promise<unknown> {
  return new Promise((resolve) => {
    let told: unknown = false
    stream.on('error', () => resolve(false))
    stream.on('close', () => resolve(told))
    stream.on('finish', () => stream.destroy())
    stream.on('end', () => stream.destroy())
    if (stream instanceof fs.WriteStream) stream.end('changed', () => (told = stream.bytesWritten))
    else stream.on('data', (chunk) => (told = chunk))
  })
}
