import { isAbsolute, join } from 'node:path'

/**
 * Returns the system's directory for the state of programs: `~/.local/state`, `~/Library/Application Support` on macOS,
 * `%LOCALAPPDATA%` on Windows.
 * @param home the person's home directory
 * @param local the value of `LOCALAPPDATA`
 */
export function systemStateHome(home: string, local: string, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return isAbsolute(local) ? local : join(home, 'AppData', 'Local')
  return join(home, '.local', 'state')
}
