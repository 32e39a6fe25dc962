import { readFileSync, statSync } from 'node:fs'
import { codeOf } from '../../overlay/errno.js'

/** A file's bytes as last seen: absent, unreadable (why), or its content. */
export type FileBytes =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'bytes'; readonly bytes: Buffer }

/** Within this time of a change, two writes can carry one timestamp on some kernels: the bytes are compared as well. */
const RACY_MS = 50

/**
 * A value made from a small file, made anew whenever the file changes. A call costs one `stat` while it does not.
 * @param limit bytes; a larger file is unreadable and is never read.
 * @param make gets the bytes and a version that rises with each change.
 */
export function cachedFile<T>(path: string, limit: number, make: (file: FileBytes, version: number) => T): () => T {
  let version = 0
  let last: { stamp: string; settled: boolean; file: FileBytes; value: T } | undefined
  return () => {
    const stamp = stampOf(path)
    if (last?.settled && last.stamp === stamp.text) return last.value
    const file = stamp.file ?? readBytes(path, limit)
    // A failed read may be over by the next call (out of descriptors), with the file unchanged.
    const readable = stamp.file !== undefined || file.kind === 'bytes'
    const settled = readable && Date.now() - stamp.changedMs > RACY_MS
    if (last && sameFile(last.file, file)) last = { ...last, stamp: stamp.text, settled }
    else last = { stamp: stamp.text, settled, file, value: make(file, ++version) }
    return last.value
  }
}

interface Stamp {
  readonly text: string
  readonly changedMs: number
  /** Set where there are no bytes to read. */
  readonly file?: FileBytes
}

function stampOf(path: string): Stamp {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (!stat) return { text: 'absent', changedMs: 0, file: { kind: 'absent' } }
    const text = `${stat.mtimeNs} ${stat.ctimeNs} ${stat.size} ${stat.ino} ${stat.dev}`
    // Opening a pipe would block.
    if (!stat.isFile()) return { text, changedMs: 0, file: { kind: 'unreadable', message: 'not a regular file' } }
    return { text, changedMs: Number(stat.ctimeMs) }
  } catch (error) {
    // A path through something that is no directory is as absent as ENOENT.
    if (codeOf(error) === 'ENOTDIR') return { text: 'absent', changedMs: 0, file: { kind: 'absent' } }
    return { text: 'unreadable', changedMs: 0, file: { kind: 'unreadable', message: reason(error) } }
  }
}

function readBytes(path: string, limit: number): FileBytes {
  try {
    const stat = statSync(path)
    if (stat.size > limit) return { kind: 'unreadable', message: `larger than ${limit / 1024} KiB; make it smaller` }
    return { kind: 'bytes', bytes: readFileSync(path) }
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? { kind: 'absent' } : { kind: 'unreadable', message: reason(error) }
  }
}

function sameFile(a: FileBytes, b: FileBytes): boolean {
  if (a.kind === 'bytes' && b.kind === 'bytes') return a.bytes.equals(b.bytes)
  if (a.kind === 'unreadable' && b.kind === 'unreadable') return a.message === b.message
  return a.kind === b.kind
}

function reason(error: unknown): string {
  return `cannot be read (${codeOf(error) ?? String(error)}); check its permissions`
}
