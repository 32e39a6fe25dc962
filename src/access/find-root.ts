import { realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ORCHESTRATION } from '../core/layout.js'
import { currentMounts, type Mount } from '../os/read.js'

/** Returns the root of the workspace that contains a directory: the nearest one with `.orchestration`. The directory need not exist. */
export function rootOf(directory: string): string | undefined {
  if (statSync(join(directory, ORCHESTRATION), { throwIfNoEntry: false })?.isDirectory()) return directory
  const parent = dirname(directory)
  return parent === directory ? undefined : rootOf(parent)
}

/**
 * Returns whether this process sees a workspace through a session's mount, so that its writes are staged. Reads the kernel's mount
 * table, because anyone can set a variable. A copy of the workspace (`isolation: none`) is not a mount.
 */
export function isInMount(root: string, env: NodeJS.ProcessEnv = process.env, mounts = mountsOfProcess): boolean {
  if (!env.ESCROW_SESSION) return false
  const physical = realpathSync(root)
  const found = mounts()
  const [staged, ours] = [physical, join(physical, ORCHESTRATION)].map((path) =>
    found.filter((mount) => mount.path === path).at(-1),
  )
  return staged?.type === 'overlay' && ours?.isReadOnly === true
}

function mountsOfProcess(): Mount[] {
  try {
    return currentMounts()
  } catch {
    return []
  }
}
