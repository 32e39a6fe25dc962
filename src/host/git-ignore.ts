import { runProgram } from './child.js'
import { findGit } from './git.js'
import { userHome } from './home.js'

/**
 * Whether git would take a file of a directory into a commit: it is in a repository, and not ignored. Git itself is asked, as its rules come
 * from many files; nothing of the repository is run. Where it cannot say, it would.
 */
export function isKeptByGit(root: string, path: string): boolean {
  const quiet = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']
  const asked = runProgram('git', ['-C', root, ...quiet, 'check-ignore', '-q', '--', path], 5_000, { HOME: userHome() })
  if (asked.status === 0 || asked.status === 1) return asked.status === 1
  return findGit(root) !== undefined
}
