import { existsSync } from 'node:fs'
import { physicalRoot } from '../access/index.js'
import { isOwned } from '../host/owner.js'
import { readSmall } from '../host/read.js'
import { layoutAt } from '../host/workspace-state.js'
import { removeName, replaceDurable } from '../host/write.js'

/**
 * The socket of a session that another process owns: it runs commands there for `escrow-sh`, and tells hooks what reviewers said. Its path
 * lies in the session's own directory, which only this user can read or write.
 */

/** Lets other processes of this user find the session's socket. Gives what takes that back. */
export function publishSocket(root: string, session: string, path: string): () => void {
  const { door } = layoutAt(physicalRoot(root)).session(session)
  replaceDurable(door, path, 0o600)
  return () => {
    if (existsSync(door) && readSmall(door, LONGEST) === path) removeName(door)
  }
}

/** Bytes of a path. */
const LONGEST = 4_096

/** The socket of a session whose owner lives and has announced one. */
export function ownerSocketOf(root: string, session: string): string | undefined {
  const { door, owner } = layoutAt(physicalRoot(root)).session(session)
  return existsSync(door) && isOwned(owner) ? readSmall(door, LONGEST) : undefined
}

/**
 * Who gives the agent of a session what reviewers say: the session's owner, which answers clients (`served`); a process
 * that holds it for a program (`held`); or nobody until the next call (`at rest`).
 */
export type SessionState = 'served' | 'held' | 'at rest'

/** See {@link SessionState}. Throws EscrowError `not_found` where the directory is no workspace. */
export function stateOfSession(root: string, session: string): SessionState {
  if (ownerSocketOf(root, session) !== undefined) return 'served'
  return isOwned(layoutAt(physicalRoot(root)).session(session).owner) ? 'held' : 'at rest'
}
