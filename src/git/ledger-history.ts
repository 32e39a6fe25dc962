import { LEDGER } from '../core/layout.js'
import { findGit } from '../os/git.js'
import { Git } from './program.js'

/** The limit of commits that changed the ledger. Older ones are left out. */
const MAX_COMMITS = 2000

/**
 * The lines that commits added to the ledger in git, oldest first and each once: also those that a later commit dropped, and
 * those of commits that only the reflog still names. Anybody who can push a branch can write such a line.
 * @returns an empty list without git or a repository, or if the ledger is not in git
 */
export function ledgerLines(root: string): string[] {
  if (findGit(root) === undefined) return []
  const git = new Git(root)
  const refs = ['--branches', '--remotes', '--tags', '--reflog']
  const listed = git.query(['rev-list', '--topo-order', `--max-count=${MAX_COMMITS}`, ...refs, '--', LEDGER])
  if (!listed) return []
  const options = ['-p', '-U0', '--root', '--text', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-commit-id']
  const patch = git.query(['diff-tree', '--stdin', ...options, '--', LEDGER], { input: `${listed}\n` }) ?? ''
  return linesAdded(patch)
}

function linesAdded(patch: string): string[] {
  const newestFirst = patch.split('\n').flatMap((line) => (line.startsWith('+{') ? line.slice(1) : []))
  return [...new Set(newestFirst.reverse())]
}
