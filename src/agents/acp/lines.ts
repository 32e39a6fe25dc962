/** Bytes a line may have. */
const LONGEST = 64 << 20

/**
 * Tells of each line of a stream of bytes, as UTF-8.
 * @param longest bytes; a longer line throws, from the call that brings it.
 */
export function lineReader(told: (line: string) => void, longest = LONGEST): (chunk: Uint8Array) => void {
  let parts: Uint8Array[] = []
  let size = 0
  const add = (part: Uint8Array) => {
    size += part.length
    if (size > longest) throw new Error(`A line is longer than ${longest} bytes.`)
    parts.push(part)
  }
  return (chunk) => {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at))
      const line = Buffer.concat(parts).toString('utf8').trim()
      parts = []
      size = 0
      from = at + 1
      if (line !== '') told(line)
    }
    if (from < chunk.length) add(Uint8Array.from(chunk.subarray(from)))
  }
}

const NEWLINE = 0x0a
