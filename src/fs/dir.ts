import fs, { type Dir, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { invalidType } from './args.js'
import { afterTurn, later, promiseOf } from './fairness.js'

/** A Dir over the merged view: it is `instanceof fs.Dir`, and every method is ours. */

export interface DirSource {
  /** The directory as the caller gave it. */
  readonly path: string | Buffer
  readonly entries: readonly Dirent[]
  /** How many entries are fetched at a time. */
  readonly bufferSize: number
  /** Set for a recursive read: lists a directory below. */
  readonly below: ((path: string) => readonly Dirent[]) | undefined
}

type DirentCallback = (error: Error | null, entry?: Dirent | null) => void

export function createDir({ path, entries, below, bufferSize }: DirSource): Dir {
  const waiting = [...entries]
  /** How many of the waiting entries were fetched. They are returned without another read of the directory. */
  let fetched = 0
  /** Set while entries are fetched: other asynchronous calls wait for it, and synchronous ones are refused. */
  let fetching: Promise<void> | undefined
  let closed = false
  const mustBeOpen = () => {
    if (closed) throw dirError('ERR_DIR_CLOSED', 'Directory handle was closed')
  }
  const mustBeFree = () => {
    mustBeOpen()
    if (fetching) throw dirError('ERR_DIR_CONCURRENT_OPERATION', CONCURRENT)
  }
  const fetch = () => {
    fetched = Math.min(bufferSize, waiting.length)
    fetching = undefined
  }
  const next = (): Dirent | null => {
    mustBeOpen()
    if (fetched === 0) fetch()
    const entry = waiting.shift() ?? null
    if (entry) fetched--
    if (below && entry?.isDirectory()) waiting.push(...below(join(entry.parentPath, String(entry.name))))
    return entry
  }
  const free = async (): Promise<void> => {
    while (fetching) await fetching
  }
  const nextLater = async (): Promise<Dirent | null> => {
    if (fetching) await free()
    mustBeOpen()
    if (fetched === 0) {
      fetching = afterTurn(fetch)
      await fetching
    }
    return next()
  }
  const shut = (): undefined => {
    mustBeOpen()
    closed = true
  }
  const shutLater = (): undefined | Promise<undefined> => (fetching ? free().then(shut) : shut())
  const methods = {
    readSync() {
      mustBeFree()
      return next()
    },
    read(callback?: unknown) {
      if (callback === undefined) return promiseOf(nextLater)
      mustBeOpen()
      return callBack(nextLater, callback)
    },
    closeSync() {
      mustBeFree()
      return shut()
    },
    close(callback?: unknown) {
      return callback === undefined ? promiseOf(shutLater) : callBack(shutLater, callback)
    },
    async *entries() {
      try {
        for (let entry = await promiseOf(nextLater); entry !== null; entry = await promiseOf(nextLater)) yield entry
      } finally {
        await shutLater()
      }
    },
    [Symbol.dispose]() {
      closed = true
    },
    async [Symbol.asyncDispose]() {
      closed = true
    },
  }
  const shape = { ...methods, [Symbol.asyncIterator]: methods.entries, path }
  return Object.create(fs.Dir.prototype, hiddenProperties(shape)) as Dir
}

function hiddenProperties(shape: object): PropertyDescriptorMap {
  const property = (key: PropertyKey) => ({ value: Reflect.get(shape, key), writable: true, configurable: true })
  return Object.fromEntries(Reflect.ownKeys(shape).map((key) => [key, property(key)]))
}

function callBack(run: () => undefined | Promise<Dirent | null | undefined>, callback: unknown): void {
  if (typeof callback !== 'function') throw invalidType('callback', 'of type function', callback)
  const call = callback as DirentCallback
  const succeed = (entry: Dirent | null | undefined) =>
    later(() => (entry === undefined ? call(null) : call(null, entry)))
  const fail = (error: unknown) => later(() => call(error as Error))
  try {
    const answer = run()
    if (answer) answer.then(succeed, fail)
    else succeed(answer)
  } catch (error) {
    fail(error)
  }
}

const CONCURRENT = 'Cannot do synchronous work on directory handle with concurrent asynchronous operations'

function dirError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
