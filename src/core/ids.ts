import { randomUUID } from 'node:crypto'

/** Returns whether a text is a valid session id: usable as a file name, no leading dot, at most 100 characters. */
export function isSessionId(id: string): boolean {
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/.test(id)
}

export function newId(): string {
  return randomUUID()
}
