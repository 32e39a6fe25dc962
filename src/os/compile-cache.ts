import module from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { BUILD } from './build.js'
import { type Compiler, reuseCode } from './code-cache.js'
import { arePrivate } from './private-dir.js'
import { isInTree } from './search-path.js'
import { systemStateHome } from './state-home.js'

/** A part of `node:module` that Node 20 lacks, and a part that it has. */
interface NodeModule extends Compiler {
  enableCompileCache?(dir: string): unknown
}

/** The program that runs. */
interface Program {
  readonly version: string
  /** The file that Node started. */
  readonly entry: string
  /** Its first argument. Each command has code of its own, because V8 keeps only the functions that ran. */
  readonly command: string | undefined
  /** The digest of its sources. Undefined: not bundled. */
  readonly build?: string
}

/**
 * Caches the compiled code of this program on disk, so that later commands start sooner: Node does it from 22.1, and
 * `code-cache.ts` before. A writer of the directory could change the code that runs. It is therefore in the state
 * directory of the person's system, which no agent can write, and is used only if no other user can write it
 * and it is in no workspace. `XDG_STATE_HOME` could name a directory of a clone, so with it there is no cache.
 */
export function cacheCompiledCode(
  { version, entry, command = '', build = BUILD }: Program,
  env: NodeJS.ProcessEnv = process.env,
  node: NodeModule = module,
): void {
  if (env.XDG_STATE_HOME) return
  const home = systemStateHome(env.HOME || homedir(), env.LOCALAPPDATA ?? '', process.platform)
  const state = join(home, 'escrowfs')
  const dir = join(state, 'compiled', version)
  if (!isTrusted(dir, state)) return
  if (node.enableCompileCache === undefined) {
    // In a session's sandbox the state directory is dropped with the command, so keeping code would only take time.
    if (build === undefined || env.ESCROW_SESSION || env.NODE_V8_COVERAGE || !/^[a-z]*$/.test(command)) return
    const name = [process.version, process.arch, build.slice(0, 16), command].join('-')
    reuseCode(join(dir, name), dirname(entry), node)
    return
  }
  // Node creates the directory with the umask of the process. On many systems that lets the group write it.
  const umask = process.umask(0o077)
  try {
    node.enableCompileCache(dir)
  } finally {
    process.umask(umask)
  }
}

/**
 * Whether no clone brings the directory, and only this user can write or replace it. Node creates an absent one.
 * @param state the state directory, which is above it
 */
function isTrusted(dir: string, state: string): boolean {
  try {
    return !isInTree(dir) && arePrivate(state, dirname(dir), dir)
  } catch {
    // Without the cache the command starts slowly, but it starts.
    return false
  }
}
