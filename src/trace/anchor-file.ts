import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../../overlay/errno.js'
import { appendByName, createDurable, ensurePrivateDir, removeName, renameSync } from '../host/write.js'
import { type AnchorLine, compacted, parseAnchors } from './anchor-lines.js'

/**
 * A file that any workspace of this machine appends to, without a lock. Lines are not synced: a power cut can take the
 * newest, and `verify` then says which records nothing anchors.
 */

/** The file is made smaller each time it grows past a multiple of this. */
const STEP_BYTES = 256 * 1024
const ABANDONED_MS = 60_000

export function readAnchors(file: string): AnchorLine[] {
  return parseAnchors(textOf(file))
}

export function appendAnchors(file: string, lines: string): void {
  const size = appendText(file, lines)
  if (Math.floor(size / STEP_BYTES) > Math.floor((size - Buffer.byteLength(lines)) / STEP_BYTES)) compact(file)
}

/** Appends to the file that has the name in the end. */
export function appendText(file: string, lines: string): number {
  for (;;) {
    try {
      const size = appendByName(file, lines, 0o600)
      if (size !== undefined) return size
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      ensurePrivateDir(dirname(file))
    }
  }
}

/** Replaces the file by a shorter one. What others append to the old file meanwhile is carried over. */
function compact(file: string): void {
  const fresh = `${file}.new`
  const old = openSync(file, 'r')
  try {
    const content = restOf(old, 0)
    createDurable(fresh, compacted(parseAnchors(content.toString())), 0o600)
    renameSync(fresh, file)
    const late = restOf(old, content.length)
    if (late.length > 0) appendText(file, late.toString())
  } catch (error) {
    // Another process makes it smaller, or died while it did.
    if (codeOf(error) !== 'EEXIST') throw error
    const left = statSync(fresh, { throwIfNoEntry: false })
    if (left !== undefined && Date.now() - left.mtimeMs > ABANDONED_MS) removeName(fresh)
  } finally {
    closeSync(old)
  }
}

function restOf(fd: number, from: number): Buffer {
  const chunks: Buffer[] = []
  for (let at = from; ; ) {
    const chunk = Buffer.alloc(STEP_BYTES)
    const got = readSync(fd, chunk, 0, chunk.length, at)
    if (got === 0) return Buffer.concat(chunks)
    chunks.push(chunk.subarray(0, got))
    at += got
  }
}

/** Empty where there is no file. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return ''
    throw error
  }
}
