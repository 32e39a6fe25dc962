import { Transform } from 'node:stream'

/** A message is longer than the limit. */
export class LongMessageError extends Error {
  override name = 'LongMessageError'
}

/**
 * Passes bytes on in chunks that end with a newline. The MCP library joins each chunk with all earlier ones of the same
 * message, so a message of 20 MB in chunks of 64 KB would copy 3 GB.
 * @param maxBytes a longer line ends the stream with a {@link LongMessageError}.
 */
export function wholeLines(maxBytes: number): Transform {
  let parts: Buffer[] = []
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const end = chunk.lastIndexOf(NEWLINE) + 1
      const first = end === 0 ? chunk.length : chunk.indexOf(NEWLINE)
      if (size + first > maxBytes)
        return done(new LongMessageError(`A message of the client is longer than ${maxBytes} bytes.`))
      if (end > 0) {
        this.push(Buffer.concat([...parts, chunk.subarray(0, end)]))
        parts = []
        size = 0
      }
      if (end < chunk.length) parts.push(chunk.subarray(end))
      size += chunk.length - end
      done()
    },
  })
}

const NEWLINE = 0x0a
