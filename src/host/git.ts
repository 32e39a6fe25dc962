import { lstatSync, realpathSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { defined } from '../core/defined.js'
import { runProgram } from './child.js'
import { userHome } from './home.js'
import { readSmall } from './read.js'
import { isInTree } from './search-path.js'

/**
 * What we ask of git is read from its files, and no git needs to be installed. Git itself is started for one thing: a config
 * file that includes others, as only git knows all of its conditions.
 */

export interface GitDirs {
  /** This worktree's own: HEAD. */
  readonly own: string
  /** What worktrees share: branches, packed-refs, config. */
  readonly common: string
}

/** Reads a text file; undefined where there is none that can be read. */
export type ReadText = (path: string) => string | undefined

const MAX_BYTES = 1024 * 1024
/** Milliseconds git has to read a config file. */
const GIT_MS = 5_000

/**
 * The `.git` of a directory or of the nearest one above it, a worktree's followed to the repository it belongs to. A `.git` that
 * leads elsewhere counts only where that place names it in turn, as git has it for worktrees and submodules: else a tree could pass
 * off another repository as its own.
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
  const own = resolve(tree, pointer.trim())
  const common = read(join(own, 'commondir'))?.trim()
  if (common === undefined) return isSubmodule(own, tree, read) ? { own, common: own } : undefined
  const back = read(join(own, 'gitdir'))?.trim()
  const shared = resolve(own, common)
  const isKnown = back !== undefined && isSame(resolve(own, back), git) && isSame(join(own, '../..'), shared)
  return isKnown && basename(dirname(own)) === 'worktrees' ? { own, common: shared } : undefined
}

/** The repository of a submodule says where its tree is. */
function isSubmodule(own: string, tree: string, read: ReadText): boolean {
  const said = ['config', 'config.worktree'].map((name) =>
    valuesIn(read(join(own, name)) ?? '', 'core').get('worktree'),
  )
  return said.some((worktree) => worktree !== undefined && isSame(resolve(own, worktree), tree))
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
 * Who works in a directory: `user.name` and `user.email` as git has them, of the repository's config first, which no clone brings,
 * then of the user's own (`~/.gitconfig`, then `git/config` under `$XDG_CONFIG_HOME`). `include` and `includeIf` are followed by
 * git where it is installed. Included files and variables that lead into a workspace are ignored. Without a `user.name` it is the user of the operating system.
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

function outside(given = ''): string | undefined {
  return isAbsolute(given) && !isInTree(given) ? given : undefined
}

const INCLUDES = /^\s*\[\s*include/im

/** As git reads a file with what it includes; undefined where there is no git. The last value counts, as everywhere in git. */
function includedUser(file: string, home: string, git: GitDirs | undefined): ReturnType<typeof userIn> | undefined {
  const where = git ? [`--git-dir=${git.own}`] : []
  const asked = ['config', '--file', file, '--includes', '--show-origin', '-z', '--get-regexp', '^user\\.(name|email)$']
  const { status, stdout } = runProgram('git', [...where, ...asked], GIT_MS, { HOME: home })
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

/** The `[user]` section of a git config file. */
export function userIn(config: string): { name?: string; email?: string } {
  const values = valuesIn(config, 'user')
  const [name, email] = [values.get('name'), values.get('email')]
  return { ...defined({ name, email }) }
}

/** A section of a git config file, by names in small letters; of a key given twice the last one, as git takes it. */
function valuesIn(config: string, wanted: string): Map<string, string> {
  const values = new Map<string, string>()
  let section = ''
  for (const line of config
    .replace(/\r\n/g, '\n')
    .replace(/(?<!\\)((?:\\\\)*)\\\n/g, '$1')
    .split('\n')) {
    const header = /^\s*\[\s*([^\]"]*?)\s*("(?:[^"\\]|\\.)*")?\s*\]/.exec(line)
    if (header) section = header[2] === undefined ? (header[1] ?? '').toLowerCase() : ''
    const [, key, value] = /^\s*([a-z][a-z0-9-]*)\s*=(.*)$/i.exec(line.slice(header?.[0].length ?? 0)) ?? []
    if (section === wanted && key !== undefined) values.set(key.toLowerCase(), textOf(value ?? ''))
  }
  return values
}

const ESCAPES: Readonly<Record<string, string>> = { n: ' ', t: ' ', b: '' }

/** A value without its quotes, escapes and comment; on one line, whatever it says. */
function textOf(text: string): string {
  let [value, quoted, kept] = ['', false, 0]
  for (const [token] of text.trimStart().matchAll(/\\.|./gu)) {
    if (token === '"') quoted = !quoted
    else if (!quoted && (token === '#' || token === ';')) break
    else value += token.length > 1 && token.startsWith('\\') ? (ESCAPES[token.slice(1)] ?? token.slice(1)) : token
    if (quoted) kept = value.length
  }
  // Blanks around a value are not part of it; those in quotes are.
  return value.slice(0, kept) + value.slice(kept).trimEnd()
}

function osUser(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username
  } catch {
    // A container's uid without an entry in its passwd.
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

function statOf(path: string, look: typeof statSync | typeof lstatSync = statSync) {
  try {
    return look(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
