import { homedir } from 'node:os'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { ToolFailure } from '../../hooks/index.js'
import type { Session } from '../../index.js'
import { codeOf } from '../../surface/index.js'

/** Converts a path as clients of the filesystem server write it: relative to the root, absolute, or below `~`. */
export function toSessionPath(path: string): string {
  if (process.platform !== 'win32' && /^[A-Za-z]:([\\/]|$)/.test(path))
    throw new ToolFailure(`${path} is a Windows path, and this system is not Windows.`)
  if (path === '~' || path.startsWith('~/')) return join(homedir(), path.slice(1))
  return path === '' ? '.' : path
}

/** The workspace's root, absolute. */
export function rootOf(session: Session): string {
  return session.fs.realpathSync('.')
}

/**
 * Resolves a path to read. @throws ToolFailure outside of the workspace: `session.fs` can read some files there for the agent's
 * libraries, but clients of this server do not expect it.
 */
export async function resolveInWorkspace(session: Session, path: string): Promise<string> {
  const root = rootOf(session)
  const requested = resolve(root, toSessionPath(path))
  const real = await realpath(session, requested)
  if (isBelow(root, real)) return real
  throw new ToolFailure(`Access denied - ${path} leads outside the allowed directory ${root}.`)
}

/** The operation itself reports a missing file, by its requested name. */
async function realpath(session: Session, wanted: string): Promise<string> {
  try {
    return await session.fs.promises.realpath(wanted)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return wanted
    throw error
  }
}

function isBelow(root: string, path: string): boolean {
  const relativePath = relative(root, path)
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath)
}
