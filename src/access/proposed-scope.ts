import { runProgram } from '../os/child.js'

/** More directories than this are not named one by one. */
const MOST_NAMED = 40
/** Any path of the workspace. What policy protects stays protected: settings of clients, secrets, `.git`. */
const ALL: readonly string[] = ['**']

/**
 * Globs for a new intent, from what git tracks at the top of a directory: its files, and what is below its directories that are not
 * hidden. So build output, other untracked directories and `.github` need a person's word.
 * All of it where git tracks no directory.
 * @param root an absolute path.
 */
export function proposedScope(root: string): readonly string[] {
  // Only the tree is read: nothing that a repository's settings could start.
  const { status, stdout } = runProgram('git', ['-C', root, 'ls-tree', '-z', 'HEAD'])
  if (status !== 0) return ALL
  const directories = stdout.split('\0').flatMap((line) => {
    const [, type, name = ''] = /^\d+ (\w+) [0-9a-f]+\t(.*)$/s.exec(line) ?? []
    return type === 'tree' && !name.startsWith('.') ? [`${name.replace(/[^\w .-]/gu, '?')}/**`] : []
  })
  return directories.length === 0 || directories.length > MOST_NAMED ? ALL : ['*', ...directories]
}
