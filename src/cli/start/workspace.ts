import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { EscrowError, rootOf } from '../../index.js'
import { oneLine } from '../printable.js'

/** The directory an agent is to work in, and whether it is a workspace yet. */
export interface Place {
  readonly root: string
  readonly isNew: boolean
}

/**
 * The workspace that a directory is in; else the git repository it is in, or the directory itself, to become one.
 * @throws EscrowError `unsupported` for a home directory or one above it: no project is that wide.
 */
export function placeFor(directory: string): Place {
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
