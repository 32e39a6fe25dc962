import { lstatSync, readlinkSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { codeOf, digest, EMPTY_DIGEST } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { runOwn } from '../os/child.js'
import { OFFLINE_GIT } from '../os/git.js'
import { digestFile } from '../os/read.js'
import { findProgram, ownEnv } from '../os/search-path.js'

/** Files as they are, in a directory or in a git commit. */
export interface Files {
  /** For use in a sentence: `in the working tree`. */
  readonly where: string
  /** Returns the type and digest of a path; undefined if the path does not exist. */
  find(path: string): FoundFile | undefined
}

export interface FoundFile {
  readonly type: 'file' | 'dir' | 'symlink' | 'submodule'
  /** `sha256:` and hex digits: of a symbolic link's target name, and of no bytes for a directory. */
  readonly digest: string
}

/** The files below a directory. No link is followed, as in a git commit. */
export function filesBelow(root: string): Files {
  return {
    where: 'in the working tree',
    find(path) {
      const place = join(root, checkedPath(path))
      try {
        const stats = lstatSync(place, { throwIfNoEntry: false })
        if (stats === undefined || isBelowLink(root, path)) return undefined
        if (stats.isSymbolicLink()) return { type: 'symlink', digest: digest(readlinkSync(place, 'buffer')) }
        return stats.isDirectory() ? { type: 'dir', digest: EMPTY_DIGEST } : { type: 'file', digest: digestFile(place) }
      } catch (error) {
        if (codeOf(error) === 'ENOTDIR') return undefined
        throw error
      }
    },
  }
}

function isBelowLink(root: string, path: string): boolean {
  const above = path.split('/').slice(0, -1)
  return above.some((_, at) => lstatSync(join(root, ...above.slice(0, at + 1))).isSymbolicLink())
}

const RUN_NOTHING = [
  ...['--no-pager', '--no-replace-objects'],
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null'].flatMap((setting) => ['-c', setting]),
]
const TIMEOUT_MS = 10 * 60 * 1000

/**
 * The files of a git commit, below a directory of its repository. Reads git objects alone: no filter or hook runs.
 * @throws EscrowError `unsupported` if git is not installed or has no such commit
 */
export function filesIn(root: string, revision: string): Files {
  const { path: program } = findProgram('git')
  if (program === undefined) throw new EscrowError('unsupported', 'git is not installed.')
  const run = (args: readonly string[]) => {
    const call = {
      cwd: root,
      env: { ...ownEnv(), ...OFFLINE_GIT },
      timeout: TIMEOUT_MS,
      encoding: 'latin1',
    } as const
    return runOwn(program, [...RUN_NOTHING, ...args], call)
  }
  const found = run(['rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`])
  const commit = found.stdout.trim()
  if (found.status !== 0) throw new EscrowError('unsupported', `git has no commit '${revision}' here.`)
  const tree = run(['ls-tree', '-r', '-t', '-z', commit])
  if (tree.status !== 0) throw new EscrowError('unsupported', `git cannot list the files of '${revision}'.`)
  const entries = new Map(tree.stdout.split('\0').flatMap((entry) => entryOf(entry)))
  return {
    where: `in git commit ${commit.slice(0, 12)}`,
    find(path) {
      const entry = entries.get(checkedPath(path))
      if (entry === undefined) return undefined
      const type = typeOf(entry)
      if (type === 'dir' || type === 'submodule') return { type, digest: EMPTY_DIGEST }
      const { status, stdout } = run(['cat-file', 'blob', entry.id])
      if (status !== 0) throw new EscrowError('unsupported', `git cannot read '${path}' of '${revision}'.`)
      return { type, digest: digest(Buffer.from(stdout, 'latin1')) }
    },
  }
}

interface Entry {
  readonly mode: string
  readonly id: string
}

function entryOf(line: string): [string, Entry][] {
  const [, mode = '', id = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? []
  return mode === '' ? [] : [[Buffer.from(path, 'latin1').toString(), { mode, id }]]
}

function typeOf({ mode }: Entry): FoundFile['type'] {
  if (mode === '040000') return 'dir'
  if (mode === '160000') return 'submodule'
  return mode === '120000' ? 'symlink' : 'file'
}

/** Other people write statements, so a path in one must not lead out of the directory. */
function checkedPath(path: string): string {
  const parts = path.split('/')
  if (!isAbsolute(path) && !path.includes('\0') && !parts.some((part) => part === '..' || part === '.' || part === ''))
    return path
  throw new EscrowError('path_escape', `The attestation names a path outside the workspace: ${path}`)
}
