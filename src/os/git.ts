import { lstatSync, realpathSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { defined } from '../core/defined.js'
import { runProgram } from './child.js'
import { userHome } from './home.js'
import { readSmall } from './read.js'
import { isInTree } from './search-path.js'

/**
 * Reads git's own files, so git need not be installed. It is started in one case: for a config file that includes
 * others, whose conditions only git knows in full.
 */

/**
 * Variables for git in a repository whose settings somebody else may have made. Git would fetch an object that a partial clone lacks, and to
 * do so start a program that `.git/config` names. No protocol has the name `none`. Unlike `protocol.allow`, no setting overrides the
 * variable. Only later versions of git know the second one.
 */
export const OFFLINE_GIT = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' } as const

/** Operations of git that may be in progress: the file in the git directory that shows one, its name, and how to end it. */
export const GIT_OPERATIONS: readonly { readonly file: string; readonly what: string; readonly wayOn: string }[] = [
  { file: 'rebase-merge', what: 'A rebase', wayOn: 'git rebase --continue, or --abort' },
  { file: 'rebase-apply', what: 'A rebase or git am', wayOn: 'git rebase --continue or git am --continue, or --abort' },
  { file: 'MERGE_HEAD', what: 'A merge', wayOn: 'git commit, or git merge --abort' },
  { file: 'CHERRY_PICK_HEAD', what: 'A cherry-pick', wayOn: 'git cherry-pick --continue, or --abort' },
  { file: 'REVERT_HEAD', what: 'A revert', wayOn: 'git revert --continue, or --abort' },
]

/** The files and directories of an operation in progress, and of its message. */
export const GIT_STATE: readonly string[] = [
  ...GIT_OPERATIONS.map(({ file }) => file),
  'MERGE_MSG',
  'MERGE_MODE',
  'SQUASH_MSG',
  'AUTO_MERGE',
  'REBASE_HEAD',
  'sequencer',
  'BISECT_LOG',
  'BISECT_START',
]

export interface GitDirs {
  /** The worktree's own files: HEAD. */
  readonly own: string
  /** The files that worktrees share: branches, packed-refs, config. */
  readonly common: string
}

/** Reads a text file; undefined if there is no readable one. */
export type ReadText = (path: string) => string | undefined

const MAX_BYTES = 1024 * 1024
/** How many milliseconds git may take to read a config file. */
const GIT_MS = 5_000

/**
 * Finds the `.git` of a directory or of the nearest one above it, and for a worktree its repository. A `.git` file
 * counts only if its target also names it, as in git's worktrees and submodules. Otherwise a tree could claim another
 * repository as its own.
 */
export function findGit(root: string, read: ReadText = readText): GitDirs | undefined {
  for (let dir = resolve(root); ; dir = dirname(dir)) {
    const git = join(dir, '.git')
    const stat = statOf(git, lstatSync)
    if (stat?.isDirectory()) return { own: git, common: git }
    if (stat) return stat.isFile() ? followPointer(git, read) : undefined
    if (dir === dirname(dir)) return undefined
  }
}

function followPointer(git: string, read: ReadText): GitDirs | undefined {
  const tree = dirname(git)
  const pointer = read(git)?.match(/^gitdir: (.+)$/m)?.[1]
  if (pointer === undefined) return undefined
  const gitDir = resolve(tree, pointer.trim())
  const common = read(join(gitDir, 'commondir'))?.trim()
  if (common === undefined) return isSubmodule(gitDir, tree, read) ? { own: gitDir, common: gitDir } : undefined
  const back = read(join(gitDir, 'gitdir'))?.trim()
  const shared = resolve(gitDir, common)
  const isKnown = back !== undefined && isSame(resolve(gitDir, back), git) && isSame(join(gitDir, '../..'), shared)
  return isKnown && basename(dirname(gitDir)) === 'worktrees' ? { own: gitDir, common: shared } : undefined
}

/** Whether the repository of a submodule names its tree. */
function isSubmodule(gitDir: string, tree: string, read: ReadText): boolean {
  const worktrees = ['config', 'config.worktree'].map((name) =>
    valuesIn(read(join(gitDir, name)) ?? '', 'core').get('worktree'),
  )
  return worktrees.some((worktree) => worktree !== undefined && isSame(resolve(gitDir, worktree), tree))
}

function isSame(a: string, b: string): boolean {
  try {
    return realpathSync(a) === realpathSync(b)
  } catch {
    return false
  }
}

export interface GitUser {
  readonly name: string
  readonly email?: string
}

/**
 * Returns git's user for a directory: `user.name` and `user.email` from the repository's config, which a clone does not
 * copy, then from the user's own (`~/.gitconfig`, then `git/config` under `$XDG_CONFIG_HOME`). If git is installed, it
 * resolves `include` and `includeIf`. Included files and variables that lead into a workspace are ignored. Without a
 * `user.name`, returns the user of the operating system.
 */
export function gitUser(root: string, env: NodeJS.ProcessEnv = process.env): GitUser {
  const git = findGit(root)
  const home = outside(env.HOME) ?? userHome()
  const files = [
    ...(git ? [join(git.common, 'config')] : []),
    join(home, '.gitconfig'),
    join(outside(env.XDG_CONFIG_HOME) ?? join(home, '.config'), 'git', 'config'),
  ]
  const users = files.map((file) => {
    const text = readText(file) ?? ''
    return (INCLUDES.test(text) ? includedUser(file, home, git) : undefined) ?? userIn(text)
  })
  const name = users.find((user) => user.name)?.name ?? osUser(env)
  const email = users.find((user) => user.email)?.email
  return { name, ...defined({ email }) }
}

function outside(value = ''): string | undefined {
  return isAbsolute(value) && !isInTree(value) ? value : undefined
}

const INCLUDES = /^\s*\[\s*include/im

/**
 * The values as git reads a file with its includes; undefined without git. As everywhere in git, the last value counts.
 */
function includedUser(file: string, home: string, git: GitDirs | undefined): ReturnType<typeof userIn> | undefined {
  const where = git ? [`--git-dir=${git.own}`] : []
  const args = ['config', '--file', file, '--includes', '--show-origin', '-z', '--get-regexp', '^user\\.(name|email)$']
  const { status, stdout } = runProgram('git', [...where, ...args], GIT_MS, { ...OFFLINE_GIT, HOME: home })
  if (status !== 0) return undefined
  const user: { name?: string; email?: string } = {}
  const fields = stdout.split('\0')
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const origin = fields[at]?.replace(/^file:/, '') ?? ''
    const [key, ...value] = fields[at + 1]?.split('\n') ?? []
    if (origin !== file && isInTree(origin)) continue
    if (key === 'user.name') user.name = value.join(' ')
    if (key === 'user.email') user.email = value.join(' ')
  }
  return user
}

/** Returns the `[user]` section of a git config file. */
export function userIn(config: string): { name?: string; email?: string } {
  const values = valuesIn(config, 'user')
  const [name, email] = [values.get('name'), values.get('email')]
  return { ...defined({ name, email }) }
}

/** A section of a git config file, by lower-case names. Of a repeated key the last value counts, as in git. */
function valuesIn(config: string, wantedSection: string): Map<string, string> {
  const values = new Map<string, string>()
  let section = ''
  for (const line of config
    .replace(/\r\n/g, '\n')
    .replace(/(?<!\\)((?:\\\\)*)\\\n/g, '$1')
    .split('\n')) {
    const header = /^\s*\[\s*([^\]"]*?)\s*("(?:[^"\\]|\\.)*")?\s*\]/.exec(line)
    if (header) section = header[2] === undefined ? (header[1] ?? '').toLowerCase() : ''
    const [, key, value] = /^\s*([a-z][a-z0-9-]*)\s*=(.*)$/i.exec(line.slice(header?.[0].length ?? 0)) ?? []
    if (section === wantedSection && key !== undefined) values.set(key.toLowerCase(), textOf(value ?? ''))
  }
  return values
}

const ESCAPES: Readonly<Record<string, string>> = { n: ' ', t: ' ', b: '' }

/** A value without quotes, escapes and comment, on one line. */
function textOf(text: string): string {
  let [value, quoted, kept] = ['', false, 0]
  for (const [token] of text.trimStart().matchAll(/\\.|./gu)) {
    if (token === '"') quoted = !quoted
    else if (!quoted && (token === '#' || token === ';')) break
    else value += token.length > 1 && token.startsWith('\\') ? (ESCAPES[token.slice(1)] ?? token.slice(1)) : token
    if (quoted) kept = value.length
  }
  // White space around a value is dropped, white space in quotes is kept.
  return value.slice(0, kept) + value.slice(kept).trimEnd()
}

function osUser(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username
  } catch {
    // A container's uid may have no entry in its passwd.
    return env.USER || env.USERNAME || 'unknown'
  }
}

function readText(path: string): string | undefined {
  const stat = statOf(path)
  if (!stat?.isFile() || stat.size > MAX_BYTES) return undefined
  try {
    return readSmall(path, MAX_BYTES)
  } catch {
    return undefined
  }
}

function statOf(path: string, stat: typeof statSync | typeof lstatSync = statSync) {
  try {
    return stat(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
