import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { findGit, GIT_OPERATIONS } from '../os/git.js'
import type { Git } from './program.js'

/** The repository of a workspace, and the branch that a commit goes to. */
export interface Target {
  /** The repository's top directory, absolute. */
  readonly top: string
  /** The workspace's root below it: `''`, or a path that ends with `/`. */
  readonly prefix: string
  /** The repository's own directory, absolute. */
  readonly gitDir: string
  /** The ref that moves; `HEAD` if it is detached. */
  readonly ref: string
  /** The commit that the ref has now; undefined for a branch without commits, or a new one. */
  readonly old?: string
  /** The parent of the first new commit; undefined for a branch without commits. */
  readonly parent?: string
  /** Whether the ref is what the working tree has checked out, so that its index moves with it. */
  readonly isCheckedOut: boolean
}

/**
 * Finds the branch that a commit goes to: the current one, or the named one.
 * @throws EscrowError `unsupported` if there is no repository, an operation of git is in progress, or the branch is checked
 * out elsewhere
 */
export function findTarget(git: Git, branch: string | undefined): Target {
  const dirs = findGit(git.root)
  if (dirs === undefined)
    throw new EscrowError('unsupported', `${git.root} is not in a git repository.`, {
      hint: "Run 'git init' first, or commit without --git.",
    })
  const places = placesOf(git)
  const current = git.query(['symbolic-ref', '-q', 'HEAD']) ?? 'HEAD'
  const head = git.query(['rev-parse', '-q', '--verify', 'HEAD^{commit}'])
  const ref = branch === undefined ? current : branchRef(git, branch)
  if (ref === current) {
    refuseBusy(dirs.own)
    return { ...places, ref, isCheckedOut: true, ...defined({ old: head, parent: head }) }
  }
  refuseCheckedOut(git, ref)
  const old = git.query(['rev-parse', '-q', '--verify', `${ref}^{commit}`])
  return { ...places, ref, isCheckedOut: false, ...defined({ old, parent: old ?? head }) }
}

/** Asks for all places in one call. Where a path contains a line feed, each has a call of its own. */
function placesOf(git: Git): Pick<Target, 'top' | 'prefix' | 'gitDir'> {
  const args = ['--show-toplevel', '--show-prefix', '--absolute-git-dir']
  const lines = git.output(['rev-parse', ...args]).split('\n')
  const answers = lines.length === args.length ? lines : args.map((each) => git.output(['rev-parse', each]))
  const [top = '', prefix = '', gitDir = ''] = answers
  return { top, prefix, gitDir }
}

/** The path of the workspace below the top of its repository: `''`, or a path that ends with `/`. `''` without a repository. */
export function prefixOf(git: Git): string {
  return git.query(['rev-parse', '--show-prefix']) ?? ''
}

function branchRef(git: Git, branch: string): string {
  if (git.query(['check-ref-format', '--branch', branch]) !== branch)
    throw new EscrowError('unsupported', `${JSON.stringify(branch)} is not a name for a git branch.`)
  const ref = `refs/heads/${branch}`
  // A renamed branch can keep its old name as a symbolic ref.
  return git.query(['symbolic-ref', '-q', ref]) ?? ref
}

function refuseBusy(gitDir: string): void {
  const found = GIT_OPERATIONS.find(({ file }) => existsSync(join(gitDir, file)))
  if (found === undefined) return
  const { what, wayOn } = found
  throw new EscrowError('unsupported', `${what} is in progress, so nothing was committed.`, {
    hint: `Finish it first: ${wayOn}. Or commit to another branch: --branch NAME.`,
  })
}

function refuseCheckedOut(git: Git, ref: string): void {
  const used = git.output(['worktree', 'list', '--porcelain']).split('\n\n')
  const other = used.find((entry) => entry.split('\n').includes(`branch ${ref}`))
  if (other === undefined) return
  const place = /^worktree (.+)$/m.exec(other)?.[1] ?? 'another worktree'
  throw new EscrowError('unsupported', `The branch ${ref.slice('refs/heads/'.length)} is checked out in ${place}.`, {
    hint: 'Give another branch, or run the commit there.',
  })
}
