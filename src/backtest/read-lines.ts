import { closeSync, readSync } from 'node:fs'
import { openRegular } from '../../overlay/index.js'

/** A longer line (bytes) is not read. */
export const MAX_LINE = 64 << 20
const CHUNK = 1 << 20
const NEWLINE = 0x0a

/** The bytes of a line, or that the line is longer than the limit. */
export type Line = Buffer | 'too long'

/**
 * The lines of a file, as they are read; memory holds one chunk and one line. A line is valid until the next one is asked for.
 * @param taken is called with the bytes read so far
 */
export function* readLines(path: string, taken: (bytes: number) => void): Generator<Line> {
  const fd = openRegular(path, false)
  const buffer = Buffer.allocUnsafe(CHUNK)
  let rest: Buffer[] = []
  let size = 0
  try {
    for (let read = 0, length = readSync(fd, buffer); length > 0; length = readSync(fd, buffer)) {
      const chunk = buffer.subarray(0, length)
      let from = 0
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
        yield joinChunks(rest, size, chunk.subarray(from, end))
        rest = []
        size = 0
        from = end + 1
      }
      const part = chunk.subarray(from)
      size += part.length
      if (size > MAX_LINE) rest = []
      else if (part.length > 0) rest.push(Buffer.from(part))
      read += length
      taken(read)
    }
    if (size > 0) yield joinChunks(rest, size, Buffer.alloc(0))
  } finally {
    closeSync(fd)
  }
}

function joinChunks(rest: readonly Buffer[], size: number, end: Buffer): Line {
  if (size + end.length > MAX_LINE) return 'too long'
  return size === 0 ? end : Buffer.concat([...rest, end])
}
