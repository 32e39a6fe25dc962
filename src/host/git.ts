import { statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { readSmall } from './read.js'

/** What we ask of git is read from its files: no process is started, and no git needs to be installed. */

export interface GitDirs {
  /** This worktree's own: HEAD. */
  readonly own: string
  /** What worktrees share: branches, packed-refs, config. */
  readonly common: string
}

/** Reads a text file; undefined where there is none that can be read. */
export type ReadText = (path: string) => string | undefined

const MAX_BYTES = 1024 * 1024

/** The `.git` of a directory or of the nearest one above it, a worktree's followed to the repository it belongs to. */
export function findGit(root: string, read: ReadText = readText): GitDirs | undefined {
  for (let dir = resolve(root); ; dir = dirname(dir)) {
    const git = join(dir, '.git')
    if (statOf(git)?.isDirectory()) return { own: git, common: git }
    const pointer = read(git)?.match(/^gitdir: (.+)$/m)?.[1]
    if (pointer !== undefined) {
      const own = resolve(dir, pointer.trim())
      const common = read(join(own, 'commondir'))?.trim()
      return { own, common: common === undefined ? own : resolve(own, common) }
    }
    if (dir === dirname(dir)) return undefined
  }
}

export interface GitUser {
  readonly name: string
  readonly email?: string
}

/**
 * Who works in a directory: `user.name` and `user.email` as git has them, of the repository's config first, then of the
 * user's own (`~/.gitconfig`, then `git/config` under `$XDG_CONFIG_HOME`). `include` is not followed.
 * Without a `user.name` it is the user of the operating system.
 */
export function gitUser(root: string, env: NodeJS.ProcessEnv = process.env): GitUser {
  const git = findGit(root)
  const home = env.HOME || homedir()
  const files = [
    ...(git ? [join(git.common, 'config')] : []),
    join(home, '.gitconfig'),
    join(env.XDG_CONFIG_HOME || join(home, '.config'), 'git', 'config'),
  ]
  const users = files.map((file) => userIn(readText(file) ?? ''))
  const name = users.find((user) => user.name)?.name ?? osUser(env)
  const email = users.find((user) => user.email)?.email
  return { name, ...(email !== undefined && { email }) }
}

/** The `[user]` section of a git config file; of a key given twice the last one, as git takes it. */
export function userIn(config: string): { name?: string; email?: string } {
  const user: { name?: string; email?: string } = {}
  let section = ''
  for (const line of config
    .replace(/\r\n/g, '\n')
    .replace(/(?<!\\)((?:\\\\)*)\\\n/g, '$1')
    .split('\n')) {
    const header = /^\s*\[\s*([^\]"]*?)\s*("(?:[^"\\]|\\.)*")?\s*\]/.exec(line)
    if (header) section = header[2] === undefined ? (header[1] ?? '').toLowerCase() : ''
    const entry = /^\s*(name|email)\s*=(.*)$/i.exec(line.slice(header?.[0].length ?? 0))
    if (section !== 'user' || !entry) continue
    const value = textOf(entry[2] ?? '')
    if (entry[1]?.toLowerCase() === 'name') user.name = value
    else user.email = value
  }
  return user
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

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
