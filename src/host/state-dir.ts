import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * Where escrowfs keeps what must not lie in a workspace: `escrowfs` under `$XDG_STATE_HOME`, else under `~/.local/state`
 * (XDG Base Directory Specification 0.8, which has relative paths ignored).
 */
export function stateDir(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_STATE_HOME: given = '' } = env
  const base = isAbsolute(given) ? given : join(env.HOME || homedir(), '.local', 'state')
  return join(base, 'escrowfs')
}
