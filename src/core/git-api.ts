/** The public types of what escrowfs does with git commits that other programs made. */

/** A git commit that took the place of others: by an amend, a rebase, a squash or a cherry-pick. */
export interface GitRewrite {
  /** The full id of the new commit. */
  readonly commit: string
  /** The full ids of the commits it took the place of, the newest last. */
  readonly from: readonly string[]
}

/** What git told one of its hooks: githooks(5). */
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
  /** Commits with those that they took the place of, as git's post-rewrite hook lists them. */
  readonly rewrites?: readonly GitRewrite[]
  /** The commits that a hook of git is told about. Only those that took the place of others get a note. */
  readonly hook?: GitHookCall
}

/** What {@link Workspace.adopt} wrote. */
export interface AdoptReport {
  /** The full ids of the commits whose note was written or changed. */
  readonly written: readonly string[]
  /** How many commits were left out because there were too many. */
  readonly left: number
}

/** What {@link Workspace.importNotes} took over. */
export interface ImportReport {
  /** The full ids of the commits whose note is new here, or was joined with the one here. */
  readonly imported: readonly string[]
}
