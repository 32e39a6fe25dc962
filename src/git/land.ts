import { errorText } from '../core/error-text.js'
import { joinLines } from '../core/git-failure.js'
import type { Layout } from '../core/layout.js'
import { indexEntries, indexInfo, sameEntry, treeDiff } from './entries.js'
import type { GitLanding } from './landing.js'
import { Git } from './program.js'

/** The prefix of the refs that keep commits which cannot land on their branch. */
const KEPT = 'refs/escrow'

/**
 * Moves the branch to the new commits, and the index entries of their paths with it. A second call changes nothing, so a
 * recovery may repeat one that was interrupted. Never throws: the changes are on disk, and the commits are kept.
 * @param tx the commit's id in the ledger
 * @returns what a person should know
 */
export function landGit({ root }: Layout, landing: GitLanding, tx: string): string[] {
  try {
    const git = new Git(root)
    const moved = moveRef(git, landing, tx)
    if (moved !== undefined) return [moved]
    return landing.checked_out && isCheckedOut(git, landing) ? moveIndex(git, landing) : []
  } catch (error) {
    const id = lastOf(landing).slice(0, 10)
    return [`The files are on disk, and the git commit ${id} is not on its branch: ${errorText(error)}`]
  }
}

function lastOf({ commits }: GitLanding): string {
  return commits.at(-1) ?? ''
}

/** Returns why it did not move. */
function moveRef(git: Git, landing: GitLanding, tx: string): string | undefined {
  const { ref, old } = landing
  const to = lastOf(landing)
  const update = ['update-ref', '--no-deref', '-m', 'escrow: commit', ref, to, old ?? '0'.repeat(to.length)]
  const { status, stderr } = git.run(update)
  if (status === 0) return undefined
  const now = git.query(['rev-parse', '-q', '--verify', `${ref}^{commit}`])
  const isDone = now !== undefined && git.run(['merge-base', '--is-ancestor', to, now]).status === 0
  if (isDone) return undefined
  const keptDir = `${KEPT}/${tx}`
  git.output(['update-ref', keptDir, to])
  if (now === (old ?? undefined)) return notMoved(landing, keptDir, stderr)
  return `The files are on disk. ${ref} moved meanwhile, so the git commit is kept as ${keptDir}: take it with 'git cherry-pick ${keptDir}'.`
}

/** @param why what git says: a lock, or a hook, keeps the ref where it is */
function notMoved({ ref, checked_out: isCheckedOut }: GitLanding, kept: string, why: string): string {
  const take = isCheckedOut ? `'git reset ${kept}' when nothing of yours is staged` : `'git update-ref ${ref} ${kept}'`
  return `The files are on disk. Git did not move ${ref}: ${why.trim()} The git commit is kept as ${kept}: take it with ${take}.`
}

/** Whether the working tree still has the branch that the commits were made for. */
function isCheckedOut(git: Git, { ref }: GitLanding): boolean {
  return (git.query(['symbolic-ref', '-q', 'HEAD']) ?? 'HEAD') === ref
}

/**
 * Updates the entries that still are as they were before the commits. Entries that a person has staged since stay as
 * they are.
 */
function moveIndex(git: Git, landing: GitLanding): string[] {
  const top = git.output(['rev-parse', '--show-toplevel'])
  const entries = indexEntries(git, top)
  const digits = lastOf(landing).length
  const stale = treeDiff(git, landing.old ?? undefined, lastOf(landing)).filter(({ path, before }) =>
    sameEntry(entries.get(path), before),
  )
  const input = stale
    .toSorted((a, b) => Number(a.after !== undefined) - Number(b.after !== undefined))
    .map(({ path, after }) => indexInfo(path, after, digits))
    .join('')
  if (input === '') return []
  const { status, stderr } = git.run(['update-index', '-z', '--index-info'], { cwd: top, input })
  if (status === 0) return []
  return [
    `The git commit is made, and git's index is not up to date: ${joinLines(stderr)} Run 'git reset' when nothing of yours is staged.`,
  ]
}
