import { defined } from '../core/defined.js'
import type { KeptRef, ProposedCommit } from '../core/exec-api.js'
import { GIT_OPERATIONS } from '../os/git.js'
import { removeName } from '../os/write.js'
import { type GitChanges, type GitLayerInfo, readStoredGit, type StoredGit, storedGitStamp } from '../terminal/index.js'
import type { ExecDeps } from './command-gate.js'
import { followHead, type MountGit, proposalsIn } from './proposed-commits.js'

/** The state of a session's private repository after a command changed it. */
export interface GitOutcome {
  /** All commits of its current branch that the repository on disk lacks, oldest first. Undefined if nothing has changed. */
  readonly commits?: readonly ProposedCommit[]
  /** Other branches, tags and the stash. */
  readonly refs?: readonly KeptRef[]
  /** The repository on disk, as far as the session needs it. */
  readonly note?: string
  /** An operation that the command has not ended, and how to end it. */
  readonly unfinished?: { readonly what: string; readonly wayOn: string }
  /** Why the session's later commands will not see it. */
  readonly problem?: string
  /** The command left a repository that git cannot read, so its changes of `.git` are undone. */
  readonly isDamaged?: true
  /** The command changed hooks, which are as before for later commands. */
  readonly hasHooks?: true
}

type Deps = Pick<ExecDeps, 'id' | 'layout' | 'gitRef'>

/**
 * The `.git` of a session: that of the disk with the changes of the session's commands. Nothing of it reaches the repository on disk. It
 * is stored in the session's directory after each command that changed it, and restored for the next.
 */
export class PrivateGit {
  readonly #file: string
  /** The stored state that commands have now; null before the first. */
  #loaded: string | undefined | null = null
  #info: GitLayerInfo | undefined
  /** The stamp of the changes before the command. */
  #before = ''
  #note: string | undefined
  /** HEAD on disk before the command. */
  #headBefore: string | null = null

  /** @param changes undefined if commands are not contained: their changes of `.git` are refused then. */
  constructor(
    private readonly deps: Deps,
    private readonly changes: GitChanges | undefined,
  ) {
    this.#file = deps.layout.session(deps.id).git
  }

  /** Whether the workspace's own `.git` is kept for the session, and no effect to stage. */
  get isKept(): boolean {
    return this.changes?.isOwn === true && this.changes.isThere()
  }

  /** Restores the stored state for the next command. Drops it if HEAD on disk has moved and it has no commits of its own. */
  load(): void {
    const { changes } = this
    if (changes === undefined) return
    this.#note = undefined
    let stored: StoredGit | undefined
    if (changes.isReset || storedGitStamp(this.#file) !== this.#loaded) {
      stored = readStoredGit(this.#file)
      this.#info = stored?.head
    }
    if (this.#info !== undefined && !this.#info.own && this.#info.base !== this.#head()) {
      removeName(this.#file)
      stored = undefined
      this.#info = undefined
    }
    if (changes.isReset || storedGitStamp(this.#file) !== this.#loaded) this.#restore(changes, stored)
    this.#before = changes.stamp()
    this.#headBefore = this.#head()
    changes.begin()
  }

  /**
   * After a commit on disk: moves the private branch to it where both have the same files, as after a landing.
   * Otherwise the branch stays, and the session gets a message.
   */
  async follow(git: MountGit): Promise<void> {
    const head = this.#head()
    if (this.#info === undefined || head === null || this.#info.base === head) return
    if (await followHead(git, head)) return
    const id = head.slice(0, 10)
    this.#note = `HEAD of the repository on disk is now ${id}. This session's git keeps its own branch: 'git rebase ${id}' takes the new commits into it.`
  }

  /** Stores the command's changes of `.git`. Undefined if there are none. */
  async end(git: MountGit): Promise<GitOutcome | undefined> {
    const { changes } = this
    if (changes === undefined) return undefined
    const isKept = changes.isThere()
    const hooks = isKept && changes.removeHooks() ? ({ hasHooks: true } as const) : undefined
    if (!isKept || (this.#info === undefined && !changes.isChanged())) {
      this.drop()
      return hooks
    }
    // HEAD on disk may have moved meanwhile: the next command must find that out.
    const base = this.#headBefore
    if (this.#info !== undefined && changes.stamp() === this.#before) {
      if (this.#info.base === base) return hooks
      this.#save(changes, { base, own: this.#info.own })
      return { ...hooks, ...(this.#note !== undefined && { note: this.#note }) }
    }
    // A copy of the repository does not show where HEAD has moved.
    const known = changes.isReset ? base : this.#head()
    const proposals = await proposalsIn(git, known ?? undefined, this.deps.gitRef, this.#info === undefined)
    const isDamaged = proposals === undefined && (base !== null || this.#info?.own === true)
    // The session's own git or its settings may have changed the repository meanwhile.
    if (isDamaged || !changes.isThere()) {
      this.drop()
      return { ...hooks, ...(isDamaged && { isDamaged }) }
    }
    const { commits, refs } = proposals ?? { commits: [], refs: [] }
    changes.removeHooks()
    const info = { base, own: commits.length > 0 || refs.length > 0 }
    const problem = this.#save(changes, info)
    const note = this.#note
    const unfinished = GIT_OPERATIONS.find(({ file }) => changes.has(file))
    return { commits, refs, ...hooks, ...defined({ note, problem, unfinished }) }
  }

  /** Undoes the command's changes of `.git`. */
  drop(): void {
    const { changes } = this
    if (changes !== undefined && !changes.isReset && changes.stamp() !== this.#before)
      this.#restore(changes, readStoredGit(this.#file))
  }

  #restore(changes: GitChanges, stored: StoredGit | undefined): void {
    changes.restore(stored)
    this.#loaded = storedGitStamp(this.#file)
    this.#before = changes.stamp()
  }

  #save(changes: GitChanges, info: GitLayerInfo): string | undefined {
    if (storedGitStamp(this.#file) !== this.#loaded)
      return 'another command of this session changed its git state meanwhile'
    const problem = changes.save(this.#file, info)
    if (problem !== undefined) return problem
    this.#loaded = storedGitStamp(this.#file)
    this.#info = info
    this.#before = changes.stamp()
    return undefined
  }

  #head(): string | null {
    return this.deps.gitRef('HEAD') ?? null
  }
}
