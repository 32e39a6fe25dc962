import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../../overlay/index.js'
import { readStart } from '../os/read.js'
import { appendByName, createDurable, ensurePrivateDir, removeName, renameSync } from '../os/write.js'
import { type AnchorLine, compactAnchors, parseAnchors } from './anchor-lines.js'

/**
 * A file that every workspace of this machine appends to, without a lock. Lines are not synced: a power cut can lose
 * the newest ones, and `verify` then reports the records without an anchor.
 */

/** The file is considered for compaction each time its size passes a multiple of this. */
const STEP_BYTES = 256 * 1024
/** The first line of a compacted file: its size then. Versions that do not know the line skip it. */
const COMPACTED = /^\{"compacted":(\d{1,15})\}\n/
const ABANDONED_MS = 60_000

export function readAnchors(file: string): AnchorLine[] {
  return parseAnchors(textOf(file))
}

export function appendAnchors(file: string, lines: string): void {
  const size = appendText(file, lines)
  const isPast = Math.floor(size / STEP_BYTES) > Math.floor((size - Buffer.byteLength(lines)) / STEP_BYTES)
  if (isPast && size >= 2 * sizeOnceCompacted(file)) compact(file)
}

/** Whether a hash is among the newest anchors. False for an old anchor. */
export function newestAnchorsHave(file: string): (hash: string) => boolean {
  const end = endOf(file)
  return (hash) => end.includes(`"${hash}"`)
}

function endOf(file: string): Buffer {
  let fd: number
  try {
    fd = openSync(file, 'r')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
  try {
    return restOf(fd, Math.max(0, fstatSync(fd).size - STEP_BYTES))
  } finally {
    closeSync(fd)
  }
}

function sizeOnceCompacted(file: string): number {
  return Number(COMPACTED.exec(readStart(file, 64))?.[1] ?? 0)
}

/** Appends to the file, and again if another process replaced it meanwhile. Returns the file's new size. */
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

/** Replaces the file by a shorter one. Carries over the lines that other processes append to the old file meanwhile. */
function compact(file: string): void {
  const fresh = `${file}.new`
  const old = openSync(file, 'r')
  try {
    const content = restOf(old, 0)
    const fewer = compactAnchors(parseAnchors(content.toString()))
    createDurable(fresh, `{"compacted":${fewer.length}}\n${fewer}`, 0o600)
    renameSync(fresh, file)
    const late = restOf(old, content.length)
    if (late.length > 0) appendText(file, late.toString())
  } catch (error) {
    // Another process is compacting the file, or died while it did.
    if (codeOf(error) !== 'EEXIST') throw error
    const leftover = statSync(fresh, { throwIfNoEntry: false })
    if (leftover !== undefined && Date.now() - leftover.mtimeMs > ABANDONED_MS) removeName(fresh)
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

/** Empty if there is no file. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return ''
    throw error
  }
}
