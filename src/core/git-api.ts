/** The public types of what escrowfs does with git commits that other programs made. */

/** A git commit that replaced others, by an amend, a rebase, a squash or a cherry-pick. */
export interface GitRewrite {
  /** The full id of the new commit. */
  readonly commit: string
  /** The full ids of the commits that it replaced, oldest first. */
  readonly from: readonly string[]
}

/** The input of a git hook, see githooks(5). */
export interface GitHookCall {
  readonly name: 'post-rewrite' | 'post-merge' | 'post-checkout' | 'post-commit'
  readonly args: readonly string[]
  /** The hook's standard input. */
  readonly input?: string
}

/** The commits that {@link Workspace.adopt} writes notes for. */
export interface AdoptOptions {
  /** Names of commits and ranges (`main..feature`), as for git-rev-list(1). Merges are left out. */
  readonly revisions?: readonly string[]
  /** Commits with the commits that they replaced, as git's post-rewrite hook lists them. */
  readonly rewrites?: readonly GitRewrite[]
  /** The commits that git reports to a hook. Only commits that replaced others get a note. */
  readonly hook?: GitHookCall
}

/** The result of {@link Workspace.adopt}. */
export interface AdoptReport {
  /** The full ids of the commits whose note was written or changed. */
  readonly written: readonly string[]
  /** How many commits were left out because there were too many. */
  readonly left: number
}

/** The result of {@link Workspace.importNotes}. */
export interface ImportReport {
  /** The full ids of the commits whose note was added, or merged with an existing one. */
  readonly imported: readonly string[]
}
