import { createHash, randomUUID } from 'node:crypto'

/** Returns whether a text is a valid session id: usable as a file name, no leading dot, at most 100 characters. */
export function isSessionId(id: unknown): id is string {
  return typeof id === 'string' && /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/.test(id)
}

export function newId(): string {
  return randomUUID()
}

/** Returns the same id for the same parts: a UUID of version 8 (RFC 9562) from their SHA-256. */
export function idOf(...parts: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
