import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { isWithin } from '../../overlay/index.js'

/**
 * Where escrowfs keeps what must not lie in a workspace: `escrowfs` under `$XDG_STATE_HOME` if that is set to an absolute
 * path (XDG Base Directory Specification 0.8), else where the system keeps such things: `~/.local/state`,
 * `~/Library/Application Support` on macOS, `%LOCALAPPDATA%` on Windows.
 */
export function stateDir(env: NodeJS.ProcessEnv = process.env, platform = process.platform): string {
  const { XDG_STATE_HOME: given = '', LOCALAPPDATA: local = '' } = env
  return join(isAbsolute(given) ? given : ofSystem(env.HOME || homedir(), local, platform), 'escrowfs')
}

function ofSystem(home: string, local: string, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return isAbsolute(local) ? local : join(home, 'AppData', 'Local')
  return join(home, '.local', 'state')
}

/** Whether an absolute path lies in the state directory, by its name or physically. */
export function isInState(path: string): boolean {
  const dir = stateDir()
  return isWithin(path, dir) || isWithin(path, physical(dir))
}

const known = new Map<string, string>()

function physical(dir: string): string {
  const found = known.get(dir)
  if (found !== undefined) return found
  try {
    const path = realpathSync(dir)
    known.set(dir, path)
    return path
  } catch {
    // It is made when something is first kept.
    return dir
  }
}
