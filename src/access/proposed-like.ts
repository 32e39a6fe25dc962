import { existsSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { isWithin } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { isObject } from '../core/is-object.js'
import { runProgram } from '../os/child.js'
import { OFFLINE_GIT } from '../os/git.js'
import { readSmall } from '../os/read.js'

/** The scope and checks that an example proposes for a new intent. */
interface Proposal {
  readonly scope: readonly string[]
  /** Commands that the workspace has for checking itself. */
  readonly checks: readonly string[]
}

/** Most globs of a proposal: beyond it directories are joined. */
const MAX_GLOBS = 12
const MAX_MANIFEST = 1024 * 1024
/** Scripts of package.json that check and change nothing, as people name them. */
const SCRIPTS = ['typecheck', 'check:types', 'lint', 'test']
/** Directories in which tests mirror the sources. */
const TESTS = ['test', 'tests', '__tests__']

/**
 * Proposes a scope and checks from an example: the directories of a path, with their tests, or those of the files that a git commit
 * changed.
 * @param root the workspace's root, absolute
 * @param like a path in the workspace, or anything that names a git commit
 * @throws EscrowError `nothing_selected` if it is neither
 */
export function proposeLike(root: string, like: string): Proposal {
  const path = resolve(root, like)
  const checks = checksOf(root)
  if (isWithin(path, root) && existsSync(path)) return { scope: scopeOfPath(root, relative(root, path)), checks }
  const files = filesOfCommit(root, like)
  if (files.length === 0)
    throw new EscrowError(
      'nothing_selected',
      `${JSON.stringify(like)} is neither a path here nor a git commit with files.`,
    )
  return { scope: globsOf(files), checks }
}

function scopeOfPath(root: string, path: string): string[] {
  if (path === '') return ['**']
  const isDir = statSync(join(root, path)).isDirectory()
  const dir = isDir ? path : dirOf(path)
  if (dir === '') return [safe(path)]
  const [, ...below] = dir.split('/')
  const mirrors = TESTS.map((name) => [name, ...below].join('/')).filter((each) => existsSync(join(root, each)))
  return [...new Set([dir, ...mirrors])].map((each) => `${safe(each)}/**`)
}

function filesOfCommit(root: string, commit: string): string[] {
  if (commit.startsWith('-')) return []
  const args = [
    '-C',
    root,
    'diff-tree',
    '-r',
    '-z',
    '--root',
    '--no-commit-id',
    '--name-only',
    '--relative',
    '--no-renames',
  ]
  const { status, stdout } = runProgram('git', [...args, `${commit}^{commit}`], undefined, OFFLINE_GIT)
  return status === 0 ? stdout.split('\0').filter((name) => name !== '') : []
}

/** The files' directories; fewer and higher ones if there are too many. Files at the top stay themselves. */
function globsOf(files: readonly string[]): string[] {
  const top = files.filter((file) => dirOf(file) === '').map(safe)
  for (let depth = 8; depth > 0; depth--) {
    const dirs = files.flatMap((file) => {
      const dir = dirOf(file).split('/').slice(0, depth).join('/')
      return dir === '' ? [] : [`${safe(dir)}/**`]
    })
    const outer = [...new Set(dirs)].filter(
      (dir, _, all) => !all.some((other) => other !== dir && dir.startsWith(other.slice(0, -2))),
    )
    if (outer.length + top.length <= MAX_GLOBS || depth === 1) return [...new Set([...outer.sort(), ...top])]
  }
  return top
}

function dirOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0))
}

/** A name as a glob that matches it. Characters that mean something in a glob become `?`. */
function safe(path: string): string {
  return path.replace(/[^\w ./-]/gu, '?')
}

/** The package's own scripts. They run only once a person has accepted the intent. */
function checksOf(root: string): string[] {
  const file = join(root, 'package.json')
  if (!existsSync(file)) return []
  let manifest: unknown
  try {
    manifest = JSON.parse(readSmall(file, MAX_MANIFEST))
  } catch {
    return []
  }
  const scripts = isObject(manifest) && isObject(manifest.scripts) ? manifest.scripts : {}
  return SCRIPTS.filter((name) => typeof scripts[name] === 'string').map((name) =>
    name === 'test' ? 'npm test' : `npm run ${name}`,
  )
}
