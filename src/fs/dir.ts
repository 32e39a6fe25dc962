import fs, { type Dir, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { invalidType } from './args.js'
import { later, promised } from './fairness.js'

/** A Dir over the merged view: `instanceof fs.Dir`, with every method of it our own. */

export interface DirSource {
  /** The directory as the caller spelt it. */
  readonly path: string | Buffer
  readonly entries: readonly Dirent[]
  /** Given for a recursive reading: lists a directory below. */
  readonly below: ((path: string) => readonly Dirent[]) | undefined
}

type DirentCallback = (error: Error | null, entry?: Dirent | null) => void

export function createDir({ path, entries, below }: DirSource): Dir {
  const waiting = [...entries]
  let closed = false
  const mustBeOpen = () => {
    if (closed) throw closedError()
  }
  const next = (): Dirent | null => {
    mustBeOpen()
    const entry = waiting.shift() ?? null
    if (below && entry?.isDirectory()) waiting.push(...below(join(entry.parentPath, String(entry.name))))
    return entry
  }
  const shut = (): undefined => {
    mustBeOpen()
    closed = true
  }
  const methods = {
    readSync: next,
    read(callback?: unknown) {
      if (callback === undefined) return promised(next)
      mustBeOpen()
      return calledBack(next, callback)
    },
    closeSync: shut,
    close(callback?: unknown) {
      return callback === undefined ? promised(shut) : calledBack(shut, callback)
    },
    async *entries() {
      try {
        for (let entry = next(); entry !== null; entry = next()) yield entry
      } finally {
        shut()
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

function calledBack(run: () => Dirent | null | undefined, callback: unknown): void {
  if (typeof callback !== 'function') throw invalidType('callback', 'of type function', callback)
  const call = callback as DirentCallback
  let entry: Dirent | null | undefined
  try {
    entry = run()
  } catch (error) {
    later(() => call(error as Error))
    return
  }
  later(() => (entry === undefined ? call(null) : call(null, entry)))
}

function closedError(): Error {
  return Object.assign(new Error('Directory handle was closed'), { code: 'ERR_DIR_CLOSED' })
}
