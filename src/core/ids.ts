import { randomUUID } from 'node:crypto'

/** A session id is a file name of its own: no separators, no dots first, at most 100 characters. */
export function isSessionId(id: string): boolean {
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/.test(id)
}

export function newId(): string {
  return randomUUID()
}
