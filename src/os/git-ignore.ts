import { runProgram } from './child.js'
import { findGit, OFFLINE_GIT } from './git.js'
import { userHome } from './home.js'

/**
 * Returns whether git would commit a file: the directory is in a repository, and git does not ignore the file. Runs git,
 * because its rules come from many files, but nothing from the repository. True if git cannot answer.
 */
export function isKeptByGit(root: string, path: string): boolean {
  const quiet = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']
  const env = { ...OFFLINE_GIT, HOME: userHome() }
  const result = runProgram('git', ['-C', root, ...quiet, 'check-ignore', '-q', '--', path], 5_000, env)
  if (result.status === 0 || result.status === 1) return result.status === 1
  return findGit(root) !== undefined
}
