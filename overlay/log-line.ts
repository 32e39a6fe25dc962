import { crc32 } from 'node:zlib'
import type { PackPlace } from './pack.js'
import type { StageEdit } from './stage-edit.js'

/** The lines of a stage's log: `<crc32 of the rest, 8 hex> <JSON>\n`. */

/**
 * A log line: the edit, and the place of its bytes in the pack. `s`: all lines before it, and their bytes, were synced.
 */
export type Line = { readonly s?: 1 } & StageEdit & { readonly data?: PackPlace }

/** The start of every line that has an `s`, after its checksum. */
const AFTER_SYNC = ' {"s":1,'

/** Hex digits of a line's checksum. */
const CHECKSUM = 8

export function formatLine(line: Line): string {
  const json = JSON.stringify(line)
  return `${checksum(json)} ${json}\n`
}

/** Parses the line between two bytes of a log; undefined if it is not complete. */
export function parseLine(log: Buffer, start: number, end: number): Line | undefined {
  const json = start + CHECKSUM + 1
  if (end < json || log[json - 1] !== SPACE) return undefined
  if (checksumAt(log, start) !== crc32(log.subarray(json, end))) return undefined
  return JSON.parse(log.toString('utf8', json, end)) as Line
}

const SPACE = 32

/** The checksum at the start of a line; NaN if there is none in the format of {@link formatLine}. */
function checksumAt(log: Buffer, start: number): number {
  let sum = 0
  for (let at = start; at < start + CHECKSUM; at++) sum = sum * 16 + hexValue(log[at] ?? 0)
  return sum
}

/** The value of a lower-case hex digit, by its character code. */
function hexValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  return code >= 97 && code <= 102 ? code - 87 : Number.NaN
}

function checksum(json: string | Uint8Array): string {
  return crc32(json).toString(16).padStart(CHECKSUM, '0')
}

/** Returns the start of the last complete line that was written after a sync; 0 when there is none. */
export function lastAfterSync(log: Buffer): number {
  for (let at = log.length; at > 0; ) {
    at = log.lastIndexOf(AFTER_SYNC, at - 1)
    if (at < 0) return 0
    const start = at - CHECKSUM
    const isLine = start === 0 || log[start - 1] === 10
    const end = log.indexOf(10, at)
    if (isLine && end >= 0 && parseLine(log, start, end)) return start
  }
  return 0
}
