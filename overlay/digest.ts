import { hash } from 'node:crypto'

/** A content digest: `sha256:` and 64 hex digits (FIPS 180-4). */
export type Digest = `sha256:${string}`

/** The digest of some bytes or of a text's UTF-8 bytes. */
export function digest(content: Uint8Array | string): Digest {
  return `sha256:${sha256hex(content)}`
}

/** The bare hex SHA-256 of some bytes or of a text's UTF-8 bytes. */
export function sha256hex(content: Uint8Array | string): string {
  return hash('sha256', content, 'hex')
}

/** The digest of nothing: what a directory counts as, and an empty file's. */
export const EMPTY_DIGEST: Digest = digest('')
