import { lstatSync } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { systemStateHome } from './state-home.js'

/** A part of `node:module` that Node 20 lacks. */
interface CompileCache {
  enableCompileCache?(dir: string): unknown
}

/**
 * Lets Node (22.1 or newer) cache the compiled code of this program on disk, so that later commands start sooner.
 * A writer of the directory could change the code that runs. It is therefore in the state directory of the person's
 * system, which no agent can write, and is used only if no other user can write it. `XDG_STATE_HOME` could name a
 * directory of a clone, so with it there is no cache.
 * @param version names the directory: another version compiles its own code
 */
export function cacheCompiledCode(
  version: string,
  env: NodeJS.ProcessEnv = process.env,
  node: CompileCache = module,
): void {
  if (node.enableCompileCache === undefined || env.XDG_STATE_HOME) return
  const home = systemStateHome(env.HOME || homedir(), env.LOCALAPPDATA ?? '', process.platform)
  const dir = join(home, 'escrowfs', 'compiled', version)
  if (!isPrivate(dir)) return
  // Node creates the directory with the umask of the process. On many systems that lets the group write it.
  const umask = process.umask(0o077)
  try {
    node.enableCompileCache(dir)
  } finally {
    process.umask(umask)
  }
}

/** Whether only this user owns and can write the directory. True if it is absent: Node then creates it. */
function isPrivate(dir: string): boolean {
  try {
    const stats = lstatSync(dir, { throwIfNoEntry: false })
    if (stats === undefined) return true
    const isOwn = process.getuid === undefined || stats.uid === process.getuid()
    return stats.isDirectory() && isOwn && (process.platform === 'win32' || (stats.mode & 0o022) === 0)
  } catch {
    // Without the cache the command starts slowly, but it starts.
    return false
  }
}
