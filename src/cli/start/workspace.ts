import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { EscrowError, rootOf } from '../../index.js'
import { oneLine } from '../printable.js'

/** The root for an agent's work. `isNew` is true if it is not a workspace yet. */
export interface WorkspaceLocation {
  readonly root: string
  readonly isNew: boolean
}

/**
 * Finds the workspace of a directory, else the git repository around it, else the directory itself.
 * @throws EscrowError `unsupported` for a root that contains the home directory
 */
export function locateWorkspace(directory: string): WorkspaceLocation {
  const known = rootOf(directory)
  if (known !== undefined) return { root: known, isNew: false }
  const root = repositoryAt(directory) ?? directory
  const physical = realpathSync(root)
  const home = homedir()
  if (`${existsSync(home) ? realpathSync(home) : home}/`.startsWith(physical === '/' ? '/' : `${physical}/`))
    throw new EscrowError(
      'unsupported',
      `${oneLine(root)} contains your home directory, so it cannot become a workspace.`,
      {
        hint: "Change to the project's directory, then run the command again.",
      },
    )
  return { root, isNew: true }
}

function repositoryAt(directory: string): string | undefined {
  for (let dir = directory; ; dir = dirname(dir)) {
    if (existsSync(join(dir, '.git'))) return dir
    if (dir === dirname(dir)) return undefined
  }
}
