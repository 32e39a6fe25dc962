import { homedir } from 'node:os'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { ToolFailure } from '../../hooks/index.js'
import type { Session } from '../../index.js'
import { codeOf } from '../../surface/index.js'

/** A path as clients of the filesystem server give it: relative to the root, absolute, or below `~`. */
export function at(path: string): string {
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
 * Where a path to be read leads, absolute. Throws {@link ToolFailure} where that is outside of the workspace: what can be
 * read there by `session.fs` is for the agent's libraries, and no client of this server expects it.
 */
export async function inside(session: Session, path: string): Promise<string> {
  const root = rootOf(session)
  const wanted = resolve(root, at(path))
  const real = await realpath(session, wanted)
  if (isBelow(root, real)) return real
  throw new ToolFailure(`Access denied - ${path} leads outside the allowed directory ${root}.`)
}

/** What is not there is told by the operation itself, with the name as asked. */
async function realpath(session: Session, wanted: string): Promise<string> {
  try {
    return await session.fs.promises.realpath(wanted)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return wanted
    throw error
  }
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
