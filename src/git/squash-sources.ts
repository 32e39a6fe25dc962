import { type TreeDiff, treeDiff } from './entries.js'
import type { Git } from './program.js'

/**
 * Finds the branches that a forge squashed. Git does not record a squash. Such a commit has exactly the files of a
 * branch that it does not contain.
 */

/** How many commits are searched for, and among how many branches. */
const MAX_COMMITS = 50
const MAX_BRANCHES = 50

/** The tips of branches, local and fetched, by the commit that has all their files. */
export function squashSources(git: Git, commits: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const branches = commits.length === 0 ? [] : branchTips(git)
  for (const commit of branches.length === 0 ? [] : commits.slice(0, MAX_COMMITS)) {
    const parent = git.query(['rev-parse', '-q', '--verify', `${commit}^`])
    if (parent === undefined) continue
    const changed = treeDiff(git, parent, commit)
    const alike = branchesWith(git, branches, changed[0])
    const tip = alike.find((branch) => hasSameFiles(git, { parent, commit, branch, changed }))
    if (tip !== undefined) found.set(commit, [tip])
  }
  return found
}

function branchTips(git: Git): string[] {
  const args = ['for-each-ref', `--count=${MAX_BRANCHES}`, '--sort=-committerdate', '--format=%(objectname)']
  return [...new Set((git.query([...args, 'refs/heads', 'refs/remotes']) ?? '').split('\n').filter(Boolean))]
}

/** The branches that have the same content at a path. One process asks for all of them. */
function branchesWith(git: Git, branches: readonly string[], file: TreeDiff | undefined): string[] {
  if (file === undefined || file.path.includes('\n')) return []
  const input = branches.map((branch) => `${branch}:${file.path}\n`).join('')
  const ids = git.run(['cat-file', '--batch-check=%(objectname)'], { input }).stdout.split('\n')
  return branches.filter((_, at) =>
    file.after === undefined ? !/^[0-9a-f]+$/.test(ids[at] ?? '') : ids[at] === file.after.id,
  )
}

interface Compared {
  readonly parent: string
  readonly commit: string
  readonly branch: string
  readonly changed: readonly TreeDiff[]
}

/** Whether a branch, since it left the parent, changed the same files as the commit, to the same contents. */
function hasSameFiles(git: Git, { parent, commit, branch, changed }: Compared): boolean {
  const base = git.query(['merge-base', parent, branch])
  const isPart = git.run(['merge-base', '--is-ancestor', commit, branch]).status === 0
  // The branch is not the source if it contains the commit, or has no commits of its own since the parent.
  if (base === undefined || base === branch || isPart) return false
  const there = new Map(treeDiff(git, base, branch).map(({ path, after }) => [path, after]))
  return (
    there.size === changed.length &&
    changed.every(({ path, after }) => there.has(path) && there.get(path)?.id === after?.id)
  )
}
