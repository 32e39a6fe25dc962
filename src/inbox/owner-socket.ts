import { codeOf } from '../../overlay/index.js'
import { physicalRoot } from '../access/index.js'
import type { AgentInfo } from '../core/people.js'
import { isOwned } from '../os/owner.js'
import { readSmall } from '../os/read.js'
import { sessionAgent } from '../os/session-agent.js'
import { layoutAt } from '../os/workspace-state.js'
import { removeName, replaceDurable } from '../os/write.js'

/**
 * The socket of a session that another process owns. There the owner runs commands for `escrow-sh` and gives feedback to hooks.
 * A file in the session's directory, private to this user, contains the socket's path.
 */

/** Publishes the session's socket to other processes of this user. @returns a function that removes it */
export function publishSocket(root: string, session: string, path: string): () => void {
  const { socketFile } = layoutAt(physicalRoot(root)).session(session)
  replaceDurable(socketFile, path, 0o600)
  return () => {
    if (readSocketFile(socketFile) === path) removeName(socketFile)
  }
}

/** Most bytes of a path. */
const MAX_PATH_BYTES = 4_096

/** The path of a session's socket; undefined if its owner has ended or has published none. */
export function ownerSocketOf(root: string, session: string): string | undefined {
  const { socketFile, owner } = layoutAt(physicalRoot(root)).session(session)
  const path = readSocketFile(socketFile)
  return path !== undefined && isOwned(owner) ? path : undefined
}

/** Undefined if there is no such file: its owner, or somebody who discards the session, may remove it at any moment. */
function readSocketFile(socketFile: string): string | undefined {
  try {
    return readSmall(socketFile, MAX_PATH_BYTES)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/**
 * How the agent of a session gets feedback: from the session's owner, which answers clients (`served`); from a process that
 * runs one program in it (`held`); or with its next call (`at rest`).
 */
export type SessionState = 'served' | 'held' | 'at rest'

/** @throws EscrowError `access_denied` if the directory cannot be opened as a workspace */
export function stateOfSession(root: string, session: string): SessionState {
  if (ownerSocketOf(root, session) !== undefined) return 'served'
  return isOwned(layoutAt(physicalRoot(root)).session(session).owner) ? 'held' : 'at rest'
}

/**
 * The agent of a session. Reads one small file, where {@link Workspace.sessions} counts the changes of every session.
 * @throws EscrowError `access_denied` if the directory cannot be opened as a workspace
 */
export function agentOfSession(root: string, session: string): AgentInfo | undefined {
  return sessionAgent(layoutAt(physicalRoot(root)), session)
}
