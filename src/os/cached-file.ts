import { lstatSync, type Stats } from 'node:fs'
import { codeOf, isSettled } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { SharedFile } from '../core/layout.js'
import { readSmall } from './read.js'
import { lookShared, readShared } from './shared-files.js'

/** A file's content as last read: absent, unreadable with the reason, or its bytes. */
export type FileBytes =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'bytes'; readonly bytes: Buffer }

/**
 * Returns a function that computes a value from a small file, again whenever the file changes. While it does not change,
 * a call costs one `lstat`.
 * @param file a shared file, or the path of a file in the state directory
 * @param limit bytes; a larger file is unreadable and is never read
 * @param make gets the bytes and a version that rises with each change
 */
export function cachedFile<T>(
  path: SharedFile | string,
  limit: number,
  make: (file: FileBytes, version: number) => T,
): () => T {
  let version = 0
  let last: { look: Look; settled: boolean; file: FileBytes; value: T } | undefined
  return () => {
    const look = lookAt(path)
    if (last?.settled && sameLook(last.look, look)) return last.value
    const file = look.kind === 'file' ? readBytes(path, limit) : look
    // A failed read may succeed on the next call (out of descriptors), although the file is unchanged.
    const readable = look.kind !== 'file' || file.kind === 'bytes'
    const settled = readable && (look.kind !== 'file' || isSettled(look.stats.ctimeMs))
    if (last && sameFile(last.file, file)) last = { ...last, look, settled }
    else last = { look, settled, file, value: make(file, ++version) }
    return last.value
  }
}

/** The result of an `lstat`: stats, or why there are no bytes to read. */
type Look = { readonly kind: 'file'; readonly stats: Stats } | Exclude<FileBytes, { kind: 'bytes' }>

const ABSENT: Look = { kind: 'absent' }

let moment: Map<SharedFile | string, Look> | undefined

/**
 * Runs synchronous work that reads the same files many times. Each file is checked once, as if all of the work were
 * done at one moment.
 */
export function withFrozenStamps<T>(work: () => T): T {
  if (moment !== undefined) return work()
  moment = new Map()
  try {
    return work()
  } finally {
    moment = undefined
  }
}

function lookAt(path: SharedFile | string): Look {
  const known = moment?.get(path)
  if (known !== undefined) return known
  const look = lookNow(path)
  moment?.set(path, look)
  return look
}

function lookNow(path: SharedFile | string): Look {
  try {
    const stats = path instanceof SharedFile ? lookShared(path) : lstatSync(path, { throwIfNoEntry: false })
    return stats ? { kind: 'file', stats } : ABSENT
  } catch (error) {
    return { kind: 'unreadable', message: reason(error) }
  }
}

/** Millisecond times have a fraction of a quarter microsecond, which is as fine as kernels keep. */
function sameLook(a: Look, b: Look): boolean {
  if (a.kind !== 'file' || b.kind !== 'file') return a.kind === b.kind
  const [was, is] = [a.stats, b.stats]
  return (
    was.mtimeMs === is.mtimeMs &&
    was.ctimeMs === is.ctimeMs &&
    was.size === is.size &&
    was.ino === is.ino &&
    was.dev === is.dev
  )
}

function readBytes(path: SharedFile | string, limit: number): FileBytes {
  try {
    const bytes = path instanceof SharedFile ? readShared(path, limit) : Buffer.from(readSmall(path, limit))
    return { kind: 'bytes', bytes }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { kind: 'absent' }
    if (codeOf(error) === 'EFBIG')
      return { kind: 'unreadable', message: `larger than ${limit / 1024} KiB; make it smaller` }
    return { kind: 'unreadable', message: reason(error) }
  }
}

function sameFile(a: FileBytes, b: FileBytes): boolean {
  if (a.kind === 'bytes' && b.kind === 'bytes') return a.bytes.equals(b.bytes)
  if (a.kind === 'unreadable' && b.kind === 'unreadable') return a.message === b.message
  return a.kind === b.kind
}

function reason(error: unknown): string {
  // The caller's message already names the file.
  if (error instanceof EscrowError) return error.message.replace(/^.*? (?=is |belongs )/, '').replace(/\.$/, '')
  return `cannot be read (${codeOf(error) ?? String(error)}); check its permissions`
}
