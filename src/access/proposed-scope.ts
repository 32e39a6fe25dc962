import { runProgram } from '../os/child.js'
import { OFFLINE_GIT } from '../os/git.js'

/** Most directories to list one by one. */
const MAX_LISTED = 40
/** Every path of the workspace. Policy still protects clients' settings, secrets and `.git`. */
const ALL: readonly string[] = ['**']

/**
 * Proposes globs for a new intent: the files that git tracks at the top of a directory, and everything below its tracked
 * directories that are not hidden. A person has to add build output, other untracked directories and `.github`.
 * Proposes the whole directory where git tracks no directory.
 * @param root an absolute path.
 */
export function proposeScope(root: string): readonly string[] {
  // Reads the tree only: that starts no program of the repository's settings.
  const { status, stdout } = runProgram('git', ['-C', root, 'ls-tree', '-z', 'HEAD'], undefined, OFFLINE_GIT)
  if (status !== 0) return ALL
  const directories = stdout.split('\0').flatMap((line) => {
    const [, type, name = ''] = /^\d+ (\w+) [0-9a-f]+\t(.*)$/s.exec(line) ?? []
    return type === 'tree' && !name.startsWith('.') ? [`${name.replace(/[^\w .-]/gu, '?')}/**`] : []
  })
  return directories.length === 0 || directories.length > MAX_LISTED ? ALL : ['*', ...directories]
}
