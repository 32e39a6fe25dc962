import { createHash, hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'

/** A content digest: `sha256:` and 64 hex digits (FIPS 180-4). */
export type Digest = `sha256:${string}`

/** Returns the digest of some bytes or of a text's UTF-8 bytes. */
export function digest(content: Uint8Array | string): Digest {
  return `sha256:${sha256hex(content)}`
}

/** Returns the bare hex SHA-256 of some bytes or of a text's UTF-8 bytes. */
export function sha256hex(content: Uint8Array | string): string {
  return hash('sha256', content, 'hex')
}

/** The number of bytes to digest or write in one turn of the event loop: about a millisecond of work. */
export const PART = 1 << 20

/** As {@link digest}, one part per turn of the event loop, so that timers and I/O continue. */
export async function digestInParts(content: Uint8Array): Promise<Digest> {
  const sha256 = createHash('sha256')
  for (let at = 0; at < content.length; at += PART) {
    if (at > 0) await setImmediate()
    sha256.update(content.subarray(at, at + PART))
  }
  return `sha256:${sha256.digest('hex')}`
}

/** The digest of no bytes: of a directory, and of an empty file. */
export const EMPTY_DIGEST: Digest = digest('')
