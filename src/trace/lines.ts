import { isUtf8 } from 'node:buffer'
import { fstatSync, readSync } from 'node:fs'
import type { TraceRecord } from '../core/api.js'
import { isObject } from '../core/is-object.js'
import { isTooDeep, MAX_JSON_DEPTH } from '../core/json-depth.js'

/** The limit of a line, on reading and writing: a line is read into memory as a whole. */
export const MAX_LINE = 16 * 1024 * 1024
const CHUNK = 256 * 1024
/** Smaller: often only a few of the newest lines are read. */
const BACKWARD_CHUNK = 64 * 1024
const LF = 10

/** One line of the file. */
export interface Line {
  /** From 1. */
  readonly number: number
  /** Byte offsets of its first byte and of the byte after its LF. */
  readonly start: number
  readonly end: number
  /** Without the LF. Cut off if `oversize`. */
  readonly bytes: Buffer
  /** False if the file ends before the LF. */
  readonly terminated: boolean
  readonly oversize: boolean
  /** The file ends after it. */
  readonly last: boolean
}

/** Reads lines from a byte offset to the current end of the file, in constant memory. Stops after an oversize line. */
export function* readLines(fd: number, offset = 0, firstNumber = 1): Generator<Line> {
  const { size } = fstatSync(fd)
  let rest: Buffer = Buffer.alloc(0)
  let start = offset
  let number = firstNumber
  for (let position = offset; position < size; ) {
    const chunk = Buffer.allocUnsafe(rest.length + Math.min(CHUNK, size - position))
    rest.copy(chunk)
    const got = readSync(fd, chunk, rest.length, chunk.length - rest.length, position)
    if (got === 0) break
    position += got
    const data = chunk.subarray(0, rest.length + got)
    let from = 0
    for (let at = data.indexOf(LF, rest.length); at !== -1; at = data.indexOf(LF, from)) {
      const end = start + at + 1 - from
      const bytes = data.subarray(from, at)
      const oversize = bytes.length > MAX_LINE
      yield { number, start, end, bytes, terminated: true, oversize, last: end >= size }
      if (oversize) return
      from = at + 1
      start = end
      number++
    }
    rest = data.subarray(from)
    if (rest.length > MAX_LINE) break
  }
  if (rest.length === 0) return
  const oversize = rest.length > MAX_LINE
  yield { number, start, end: start + rest.length, bytes: rest, terminated: false, oversize, last: true }
}

/** A line that {@link linesBackward} found. */
export interface BackwardLine extends Pick<Line, 'bytes' | 'oversize'> {
  /** It is the last line of the file. */
  readonly last: boolean
}

/**
 * Reads the complete lines from the current end of the file to its start, in constant memory. Stops after an oversize line, complete or
 * not.
 * @throws Error if the file becomes shorter meanwhile
 */
export function* linesBackward(fd: number): Generator<BackwardLine> {
  const { size } = fstatSync(fd)
  /** The parts of a line that were read, of which the start is missing. */
  let parts: Buffer[] = []
  /** Where the line ends; undefined for the bytes after the last LF. */
  let lineEnd: number | undefined
  for (let position = size; position > 0; ) {
    const chunk = Buffer.allocUnsafe(Math.min(BACKWARD_CHUNK, position))
    position -= chunk.length
    fill(chunk, fd, position)
    let end = chunk.length
    for (let at = lastLf(chunk, end); at !== -1; at = lastLf(chunk, end)) {
      const bytes = Buffer.concat([chunk.subarray(at + 1, end), ...parts])
      const oversize = bytes.length > MAX_LINE
      if (oversize || lineEnd !== undefined) yield { bytes, oversize, last: lineEnd === size }
      if (oversize) return
      lineEnd = position + at + 1
      parts = []
      end = at
    }
    parts.unshift(chunk.subarray(0, end))
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    if (length > MAX_LINE) {
      yield { bytes: Buffer.concat(parts), oversize: true, last: lineEnd === size }
      return
    }
  }
  if (lineEnd !== undefined) yield { bytes: Buffer.concat(parts), oversize: false, last: lineEnd === size }
}

function lastLf(chunk: Buffer, end: number): number {
  return end === 0 ? -1 : chunk.lastIndexOf(LF, end - 1)
}

/** Fills a buffer from a position of the file. */
function fill(buffer: Buffer, fd: number, position: number): void {
  for (let at = 0; at < buffer.length; ) {
    const got = readSync(fd, buffer, at, buffer.length - at, position + at)
    if (got === 0) throw new Error('The file became shorter while it was read.')
    at += got
  }
}

/** Parses a line into its record, or a description of its fault. */
export function parseLine(line: Pick<Line, 'bytes' | 'oversize'>): { value: TraceRecord } | { problem: string } {
  if (line.oversize) return { problem: `is longer than ${MAX_LINE / 1024 / 1024} MiB` }
  if (!isUtf8(line.bytes)) return { problem: 'is not valid UTF-8' }
  const text = line.bytes.toString()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: isMarker(line.bytes) ? CONFLICT : 'is not JSON' }
  }
  // A reader that writes the record again would fail.
  if (isTooDeep(text)) return { problem: `is nested deeper than ${MAX_JSON_DEPTH} levels` }
  return isObject(value) ? { value } : { problem: 'is not a JSON object' }
}

/** The fault of a line that git, or its host, wrote to mark a merge conflict. */
export const CONFLICT = 'is a conflict marker of git: keep the lines of both sides, and delete the markers'

function isMarker(bytes: Buffer): boolean {
  return /^(?:[<>|]{7} |={7}\r?$|[<>|]{7}\r?$)/.test(bytes.toString('latin1', 0, 16))
}
