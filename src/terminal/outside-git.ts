import { lstatSync, readdirSync } from 'node:fs'
import { asRelPath, type RelPath } from '../../overlay/index.js'
import type { CommandOptions } from './command-io.js'
import type { GitLayerPlace } from './git-layer.js'
import type { Holder } from './holder.js'

/**
 * A repository's directory outside the workspace: that of a linked worktree, of a submodule, or of a repository whose subdirectory is
 * the workspace. Commands see it through a layer, as they see the parts of the home directory.
 */

/** The first of the mounts beside the workspace. `contained.ts` numbers them. */
const MOUNT = '0/merged'
const UPPER = asRelPath('upper')

/** Lets git find the repository of a workspace below its top: the workspace is a mount, where git would stop. */
const DISCOVERY = { GIT_DISCOVERY_ACROSS_FILESYSTEM: '1' }

/** Adds the repository's directory to what a command may write. */
export function withGit(options: CommandOptions, { places }: Holder, gitDir: string): CommandOptions {
  const home = options.home ?? { mounts: [], readOnly: [], env: {} }
  const git = { at: gitDir, layer: `${places.scratch}/git` }
  return { ...options, env: { ...DISCOVERY, ...options.env }, home: { ...home, mounts: [git, ...home.mounts] } }
}

export function outsideGit({ places }: Holder, gitDir: string): GitLayerPlace {
  const below = (dir: RelPath) => dir.slice(UPPER.length)
  return {
    written: places.git,
    name: UPPER,
    disk: gitDir,
    whiteout: places.whiteout,
    hiddenNames(dir) {
      const lower = `${gitDir}${below(dir)}`
      if (lstatSync(lower, { throwIfNoEntry: false })?.isDirectory() !== true) return []
      const seen = new Set(readdirSync(`${places.homes}/${MOUNT}${below(dir)}`))
      return readdirSync(lower).filter((name) => !seen.has(name))
    },
  }
}
