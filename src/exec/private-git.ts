import { defined } from '../core/defined.js'
import type { KeptRef, ProposedCommit } from '../core/exec-api.js'
import { GIT_OPERATIONS } from '../os/git.js'
import { removeName } from '../os/write.js'
import {
  countGitLayer,
  GIT,
  type GitLayerInfo,
  type GitLayerPlace,
  gitLayerStamp,
  hasGitLayer,
  isInGitLayer,
  readStoredGit,
  removeHooks,
  restoreGitLayer,
  type StoredGit,
  saveGitLayer,
  storedGitStamp,
} from '../terminal/index.js'
import type { ExecDeps } from './command-gate.js'
import { followHead, keptRefs, type MountGit, proposedCommits } from './proposed-commits.js'

/** What a session's private repository has after a command that changed it. */
export interface GitOutcome {
  /** All commits of its current branch that the repository on disk lacks, oldest first. Undefined if nothing has changed. */
  readonly commits?: readonly ProposedCommit[]
  /** Other branches, tags and the stash. */
  readonly refs?: readonly KeptRef[]
  /** What the session should know of the repository on disk. */
  readonly note?: string
  /** An operation that the command has not ended, and how to end it. */
  readonly unfinished?: { readonly what: string; readonly wayOn: string }
  /** Why the session's later commands will not see it. */
  readonly problem?: string
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
  /** The stored state that is in the layer now; null before the first. */
  #loaded: string | undefined | null = null
  #info: GitLayerInfo | undefined
  /** The layer before the command. */
  #before = ''
  #note: string | undefined

  /** @param place undefined if commands run on a copy: their changes of `.git` are refused there. */
  constructor(
    private readonly deps: Deps,
    private readonly place: GitLayerPlace | undefined,
  ) {
    this.#file = deps.layout.session(deps.id).git
  }

  /** Whether the workspace's own `.git` in the layer is kept for the session, and no effect to stage. */
  get isKept(): boolean {
    return this.place !== undefined && this.place.name === GIT && hasGitLayer(this.place)
  }

  /** Loads the stored state into the layer. Drops it if HEAD on disk has moved and it has no commits of its own. */
  load(): void {
    if (this.place === undefined) return
    this.#note = undefined
    let stored: StoredGit | undefined
    if (storedGitStamp(this.#file) !== this.#loaded) {
      stored = readStoredGit(this.#file)
      this.#info = stored?.head
    }
    if (this.#info !== undefined && !this.#info.own && this.#info.base !== this.#head()) {
      removeName(this.#file)
      stored = undefined
      this.#info = undefined
    }
    if (storedGitStamp(this.#file) !== this.#loaded) this.#restore(this.place, stored)
    this.#before = gitLayerStamp(this.place)
  }

  /**
   * After a commit on disk: moves the private branch to it where both have the same files, as after a landing. Otherwise the branch
   * stays, and the session is told.
   */
  async follow(git: MountGit): Promise<void> {
    const head = this.#head()
    if (this.#info === undefined || head === null || this.#info.base === head) return
    if (await followHead(git, head)) return
    const id = head.slice(0, 10)
    this.#note = `HEAD of the repository on disk is now ${id}. This session's git keeps its own branch: 'git rebase ${id}' takes the new commits into it.`
  }

  /** Stores what the command did to `.git`. Undefined if that is nothing. */
  async end(git: MountGit): Promise<GitOutcome | undefined> {
    const { place } = this
    if (place === undefined) return undefined
    const isKept = hasGitLayer(place)
    const hooks = isKept && removeHooks(place) ? ({ hasHooks: true } as const) : undefined
    if (!isKept || (this.#info === undefined && countGitLayer(place.written, place.name) === 0)) {
      this.drop()
      return hooks
    }
    const head = this.#head()
    if (this.#info !== undefined && gitLayerStamp(place) === this.#before) {
      if (this.#info.base === head) return hooks
      this.#save(place, { base: head, own: this.#info.own })
      return { ...hooks, ...(this.#note !== undefined && { note: this.#note }) }
    }
    const commits = await proposedCommits(git, head ?? undefined)
    const refs = await keptRefs(git, this.deps.gitRef)
    const info = { base: head, own: commits.length > 0 || refs.length > 0 }
    const problem = this.#save(place, info)
    const note = this.#note
    const unfinished = GIT_OPERATIONS.find(({ file }) => isInGitLayer(place, file))
    return { commits, refs, ...hooks, ...defined({ note, problem, unfinished }) }
  }

  /** Undoes what the command did to `.git`. */
  drop(): void {
    if (this.place !== undefined && gitLayerStamp(this.place) !== this.#before)
      this.#restore(this.place, readStoredGit(this.#file))
  }

  #restore(place: GitLayerPlace, stored: StoredGit | undefined): void {
    restoreGitLayer(stored, place)
    this.#loaded = storedGitStamp(this.#file)
    this.#before = gitLayerStamp(place)
  }

  #save(place: GitLayerPlace, info: GitLayerInfo): string | undefined {
    if (storedGitStamp(this.#file) !== this.#loaded)
      return 'another command of this session changed its git state meanwhile'
    const problem = saveGitLayer(this.#file, place, info)
    if (problem !== undefined) return problem
    this.#loaded = storedGitStamp(this.#file)
    this.#info = info
    this.#before = gitLayerStamp(place)
    return undefined
  }

  #head(): string | null {
    return this.deps.gitRef('HEAD') ?? null
  }
}
