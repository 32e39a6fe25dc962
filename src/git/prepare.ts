import { accessSync, constants } from 'node:fs'
import { join, resolve } from 'node:path'
import type { StagedChange } from '../../overlay/index.js'
import { EscrowError, type Refusal } from '../core/api-error.js'
import { joinLines } from '../core/git-failure.js'
import type { Layout } from '../core/layout.js'
import { isOwnHook } from '../core/own-hook.js'
import type { Reviewer } from '../core/people.js'
import { readSmall } from '../os/read.js'
import { ownEdits } from './edits.js'
import { fieldsOf, GITLINK, type GitEntry, indexEntries, indexInfo, isFile } from './entries.js'
import { identity } from './identity.js'
import type { GitLanding } from './landing.js'
import { type Credits, messageOf } from './message.js'
import { Git } from './program.js'
import { findTarget, type Target } from './repository.js'
import { Scratch } from './scratch.js'

/** Escrow's own hook has one line. */
const OWN_HOOK_BYTES = 4_096

/** The changes of one git commit, and what it says. */
export interface GitGroup {
  /** Subject and body, without trailers. */
  readonly message: string
  readonly credits: Credits
  readonly changes: readonly StagedChange[]
}

export interface GitRequest {
  readonly layout: Layout
  readonly groups: readonly GitGroup[]
  /** Author and committer. Git's own settings supply a missing e-mail address. */
  readonly reviewer: Reviewer
  /** The branch to commit to; the current one by default. */
  readonly branch?: string | undefined
  /** Also commits edits that a person has made in the same files and not committed. */
  readonly wholeFiles?: boolean | undefined
  /** Runs the repository's `commit-msg` hook here, and asks the caller to run `pre-commit`. */
  readonly hooks?: boolean | undefined
  /** Lets a person edit a message before its trailers are added. Returns undefined to give up. */
  readonly edit?: ((message: string) => Promise<string>) | undefined
}

export interface PreparedGit {
  /** The ref that the commits go to. */
  readonly ref: string
  /** Undefined if nothing is left to commit to git. */
  readonly landing: GitLanding | undefined
  /** Paths that git ignores: they are written to disk, and not committed to git. */
  readonly ignored: readonly string[]
  /** Whether the caller is to run the repository's `pre-commit` hook before the commits land. */
  readonly preCommit: boolean
  /** The repository's hooks that do not run. */
  readonly hooksLeft: readonly string[]
}

/**
 * Makes the commits as objects of the repository. No ref, index or file of the working tree changes: until they land,
 * only their ids refer to them, and git garbage-collects them if they never land.
 * @throws EscrowError `unsupported` if git cannot take them, with `refused` for each path that is in the way
 */
export async function prepareGit(request: GitRequest): Promise<PreparedGit> {
  const git = new Git(request.layout.root)
  const target = findTarget(git, request.branch)
  const scratch = Scratch.in(request.layout.state)
  try {
    const tree = ['read-tree', ...(target.parent === undefined ? ['--empty'] : [target.parent])]
    git.output(tree, { env: scratch.env })
    const all = request.groups.flatMap(({ changes }) => changes).filter(hasFile)
    const committed = indexEntries(git, target.top, scratch.env)
    refuse(inSubmodules(target, committed, all), IN_SUBMODULE)
    const ignored = ignoredPaths(git, all)
    const paths = all.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))
    const taken = new Set(paths.filter((path) => !ignored.has(path)))
    const { edited, sparse } = ownEdits(git, target, committed, [...taken], request.wholeFiles === true)
    const hints = [...(edited.length > 0 ? [OWN_EDITS] : []), ...(sparse.length > 0 ? [OUTSIDE_SPARSE] : [])]
    refuse([...edited, ...sparse], hints.join(' '))
    const commits = await new CommitChain(git, target, scratch, request, committed).build(ignored)
    const landing = commits.length === 0 ? undefined : landingOf(target, commits)
    return { ref: target.ref, landing, ignored: [...ignored].sort(), ...hooksOf(git, request, target) }
  } finally {
    scratch.remove()
  }
}

function landingOf({ ref, old, isCheckedOut }: Target, commits: readonly string[]): GitLanding {
  return { ref, old: old ?? null, commits, checked_out: isCheckedOut }
}

function hasFile({ before, after }: StagedChange): boolean {
  return isFile(after ?? before)
}

function ignoredPaths(git: Git, changes: readonly StagedChange[]): ReadonlySet<string> {
  const paths = changes.flatMap(({ path, after }) => (after === null ? [] : [path]))
  if (paths.length === 0) return new Set()
  // This command refuses literal pathspecs. `./` keeps a name that begins with `:` plain.
  const input = paths.map((path) => `./${path}\0`).join('')
  const { status, stdout, stderr } = git.run(['check-ignore', '-z', '--stdin'], {
    input,
    env: { GIT_LITERAL_PATHSPECS: '0' },
  })
  // The exit code is 1 if none is ignored.
  if (status !== 0 && status !== 1)
    throw new EscrowError('unsupported', `git check-ignore failed: ${joinLines(stderr)}`)
  return new Set(fieldsOf(stdout).map((path) => path.slice('./'.length)))
}

const IN_SUBMODULE = 'Commit without --git, then commit these files with git in the submodule.'
const OWN_EDITS = 'Commit or stash your own edits first, or add --whole-files. Or commit without --git.'
const OUTSIDE_SPARSE =
  'Commit without --git: the agent did not see what git has outside the sparse checkout, and a commit would replace it.'

function refuse(refused: Refusal[], hint: string): void {
  if (refused.length === 0) return
  throw new EscrowError('unsupported', `Nothing was committed. Paths that git cannot take: ${refused.length}.`, {
    refused,
    hint,
  })
}

function inSubmodules(
  { prefix }: Target,
  committed: ReadonlyMap<string, GitEntry>,
  changes: readonly StagedChange[],
): Refusal[] {
  const modules = [...committed].flatMap(([path, { mode }]) => (mode === GITLINK ? [path] : []))
  return changes.flatMap(({ path }) => {
    const module = modules.find((each) => `${prefix}${path}/`.startsWith(`${each}/`))
    if (module === undefined) return []
    return [{ path, reason: 'unsupported', message: `${path} is in the submodule ${module}, a repository of its own.` }]
  })
}

/**
 * Whether a change leaves it to git what the file is. With `core.fileMode` or `core.symlinks` false the disk does not show that a file is
 * executable, or a link, and git keeps what its index says.
 */
function keepsMode({ before, after }: StagedChange): boolean {
  return before?.type === 'file' && after?.type === 'file' && (before.mode & 0o100) === (after.mode & 0o100)
}

/** For modes and links that the agent set: the scratch files have them, although the person's settings may exclude them in the working tree. */
const ON_A_POSIX_DISK = ['-c', 'core.fileMode=true', '-c', 'core.symlinks=true']

/** Builds one commit after the other, each on the tree of the last. */
class CommitChain {
  readonly #commits: string[] = []
  readonly #written = new Set<string>()
  #parent: string | undefined
  /** The tree of the parent; undefined before the first group. */
  #tree: string | undefined

  constructor(
    private readonly git: Git,
    private readonly target: Target,
    private readonly scratch: Scratch,
    private readonly request: GitRequest,
    /** The entries of the parent. */
    private readonly committed: ReadonlyMap<string, GitEntry>,
  ) {
    this.#parent = target.parent
  }

  async build(ignored: ReadonlySet<string>): Promise<string[]> {
    for (const group of this.request.groups) {
      const tree = this.#stage(group.changes.filter(hasFile), ignored)
      this.#tree ??= this.#parentTree()
      if (tree === this.#tree) continue
      await this.#commit(group, tree)
      this.#tree = tree
    }
    return this.#commits
  }

  /** Brings the scratch index up to a group. Returns the id of its tree. */
  #stage(changes: readonly StagedChange[], ignored: ReadonlySet<string>): string {
    const { git, scratch, target } = this
    const written = changes.filter(({ path, after }) => after !== null && !ignored.has(path))
    for (const { path } of written) this.#written.add(path)
    const removed = changes
      .flatMap(({ path, from, after }) => (after === null ? [path] : from === undefined ? [] : [from]))
      .filter((path) => !this.#written.has(path))
    const digits = removed.length === 0 ? 0 : (target.parent ?? git.emptyTree()).length
    const info = [
      ...removed.map((path) => indexInfo(target.prefix + path, undefined, digits)),
      ...written.flatMap((change) => this.#renamedEntry(change)),
    ].join('')
    if (info !== '') git.output(['update-index', '-z', '--index-info'], { env: scratch.env, input: info })
    for (const change of written) scratch.write(target.prefix + change.path, change)
    this.#add(written.filter(keepsMode), [])
    this.#add(
      written.filter((change) => !keepsMode(change)),
      ON_A_POSIX_DISK,
    )
    // A sparse partial clone lacks files of the parent, which the new tree only names.
    return git.output(['write-tree', '--missing-ok'], { env: scratch.env })
  }

  /** The entry of a renamed file's old path at the new one, from which git takes the mode. */
  #renamedEntry(change: StagedChange): string | [] {
    const { prefix } = this.target
    const { path, from } = change
    const entry = from === undefined || !keepsMode(change) ? undefined : this.committed.get(prefix + from)
    return entry === undefined ? [] : indexInfo(prefix + path, entry, 0)
  }

  #add(written: readonly StagedChange[], settings: readonly string[]): void {
    const { git, scratch, target } = this
    if (written.length === 0) return
    const input = written.map(({ path }) => `${target.prefix}${path}\0`).join('')
    const call = { env: scratch.treeEnv(target.gitDir), cwd: scratch.tree, input }
    git.output([...settings, 'update-index', '-z', '--add', '--replace', '--stdin'], call)
  }

  #parentTree(): string {
    if (this.#parent === undefined) return this.git.emptyTree()
    return this.git.output(['rev-parse', `${this.#parent}^{tree}`])
  }

  async #commit({ message, credits }: GitGroup, tree: string): Promise<void> {
    const { git, request, scratch } = this
    const text = request.edit === undefined ? message : await request.edit(message)
    if (text.trim() === '') throw new EscrowError('nothing_selected', 'The message is empty, so nothing was committed.')
    const file = scratch.file('message', messageOf(git, text, credits))
    if (request.hooks === true)
      git.output(['hook', 'run', '--ignore-missing', 'commit-msg', '--', file], { env: scratch.env })
    const parent = this.#parent === undefined ? [] : ['-p', this.#parent]
    const sign = git.query(['config', '--type=bool', '--get', 'commit.gpgSign']) === 'true' ? ['-S'] : []
    this.#parent = git.output(['commit-tree', ...sign, ...parent, '-F', file, tree], {
      env: identity(request.reviewer),
    })
    this.#commits.push(this.#parent)
  }
}

/** The hooks that `git commit` runs. */
const COMMIT_HOOKS = ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit']

/** `pre-commit` compares the index with HEAD, so it applies only to commits to the current branch. */
function hooksOf(git: Git, { hooks }: GitRequest, target: Target): Pick<PreparedGit, 'preCommit' | 'hooksLeft'> {
  const dir = resolve(git.root, git.output(['rev-parse', '--git-path', 'hooks']))
  const present = COMMIT_HOOKS.filter((name) => runsProgram(join(dir, name)))
  const preCommit = hooks === true && target.isCheckedOut && present.includes('pre-commit')
  const runs = (name: string) => (name === 'pre-commit' ? preCommit : name === 'commit-msg' && hooks === true)
  return { preCommit, hooksLeft: present.filter((name) => !runs(name)) }
}

/** Escrow's own hook does not count: this commit records what the hook would. */
function runsProgram(hook: string): boolean {
  return isExecutable(hook) && !isOwn(hook)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** False for a link, and for a file that is too large. */
function isOwn(hook: string): boolean {
  try {
    return isOwnHook(readSmall(hook, OWN_HOOK_BYTES))
  } catch {
    return false
  }
}
