import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { codeOf } from '../../../overlay/index.js'
import type { CommandOptions } from '../command-io.js'
import type { CopyDirs } from '../copy-place.js'
import { seatbeltProfile } from './profile.js'

/** macOS's own program. It is restricted, so variables of the command do not change it. */
export const SANDBOX_EXEC = '/usr/bin/sandbox-exec'

/**
 * The profile of a command, and the command line that applies it.
 * @param file where the profile will be
 * @throws Error for a protection that this provider lacks
 */
export function seatbeltCommand(
  { args, network, terminal, home, visibility }: CommandOptions,
  { root, scratch }: CopyDirs,
  file: string,
): { readonly text: string; readonly args: readonly string[] } {
  if (typeof network !== 'boolean') throw new Error('A command under Seatbelt cannot have some hosts of the network.')
  if (terminal) throw new Error('A command under Seatbelt cannot share the terminal.')
  if (home !== undefined && home.mounts.length > 0)
    throw new Error('A command under Seatbelt cannot have directories of the home.')
  const { text, parameters } = seatbeltProfile({
    root: realpathSync.native(root),
    tree: realpathSync.native(`${scratch}/tree`),
    temporary: realpathSync.native(`${scratch}/tmp`),
    home: realpathSync.native(homedir()),
    visibility: {
      hidden: visibility.hidden.map(({ path, isDirectory }) => ({ path: asOnDisk(path), isDirectory })),
      shown: visibility.shown.map(asOnDisk),
    },
    network,
  })
  return { text, args: [SANDBOX_EXEC, '-f', file, ...parameters.flatMap((each) => ['-D', each]), '--', ...args] }
}

/** Returns the path in the letter case of the disk. A Mac's disk usually ignores case, and Seatbelt does not. */
function asOnDisk(path: string): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return path
    throw error
  }
}
