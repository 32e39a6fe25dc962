import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { isWithin } from '../../overlay/index.js'
import { systemStateHome } from './state-home.js'

/** In place of `$XDG_STATE_HOME` while {@link withStateHome} runs. */
let otherHome: string | undefined

/** Runs work with the state of this machine out of sight: anchors, accepted rules and keys come from another directory. */
export async function withStateHome<T>(home: string, work: () => Promise<T>): Promise<T> {
  const before = otherHome
  otherHome = home
  try {
    return await work()
  } finally {
    otherHome = before
  }
}

/**
 * Returns the directory for state outside workspaces: `escrowfs` under `$XDG_STATE_HOME` if that is an absolute path (XDG Base
 * Directory Specification 0.8), else under the system's own: `~/.local/state`, `~/Library/Application Support` on
 * macOS, `%LOCALAPPDATA%` on Windows.
 */
export function stateDir(env: NodeJS.ProcessEnv = process.env, platform = process.platform): string {
  const { XDG_STATE_HOME: given = '', LOCALAPPDATA: local = '' } = env
  if (otherHome !== undefined) return join(otherHome, 'escrowfs')
  return join(isAbsolute(given) ? given : systemStateHome(env.HOME || homedir(), local, platform), 'escrowfs')
}

/** Returns whether an absolute path is in the state directory, by its name or physically. */
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
    // It is made on the first write.
    return dir
  }
}
