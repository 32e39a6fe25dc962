import { isUtf8 } from 'node:buffer'

/** A line is longer than the limit of its reader. */
export class LongLineError extends Error {
  override name = 'LongLineError'

  constructor(maxBytes: number) {
    super(`A line is longer than ${maxBytes} bytes.`)
  }
}

/** Most bytes of a line, by default. */
const MAX_LINE_BYTES = 64 << 20

interface LineLimits {
  readonly maxBytes?: number
  /** Called for a line that is not valid UTF-8. Without it, such a line gets other characters in place of the broken ones. */
  readonly onBroken?: () => void
}

/**
 * Splits a stream of bytes into lines of UTF-8 text, without the blanks at their ends. Leaves out empty lines. Reading takes time in
 * proportion to the bytes, however they are split.
 * @throws LongLineError from the call that takes a line over `maxBytes`
 */
export function lineReader(
  onLine: (line: string) => void,
  { maxBytes = MAX_LINE_BYTES, onBroken }: LineLimits = {},
): (chunk: Uint8Array) => void {
  let parts: Uint8Array[] = []
  let size = 0
  const add = (part: Uint8Array) => {
    size += part.length
    if (size > maxBytes) throw new LongLineError(maxBytes)
    parts.push(part)
  }
  return (chunk) => {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at))
      const bytes = Buffer.concat(parts)
      parts = []
      size = 0
      from = at + 1
      const line = bytes.toString('utf8').trim()
      if (onBroken !== undefined && !isUtf8(bytes)) onBroken()
      else if (line !== '') onLine(line)
    }
    // A copy: the caller may use its buffer again.
    if (from < chunk.length) add(Uint8Array.from(chunk.subarray(from)))
  }
}

const NEWLINE = 0x0a
