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
  /** The digest of a path: `sha256:` and hex digits; undefined if there is nothing. */
  digestOf(path: string): string | undefined
}

/** The files below a directory. A symbolic link has the digest of its target's name, a directory that of no bytes. */
export function filesBelow(root: string): Files {
  return {
    where: 'in the working tree',
    digestOf(path) {
      const place = join(root, checkedPath(path))
      try {
        const stats = lstatSync(place, { throwIfNoEntry: false })
        if (stats === undefined) return undefined
        if (stats.isSymbolicLink()) return digest(readlinkSync(place, 'buffer'))
        return stats.isDirectory() ? EMPTY_DIGEST : digestFile(place)
      } catch (error) {
        if (codeOf(error) === 'ENOTDIR') return undefined
        throw error
      }
    },
  }
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
    digestOf(path) {
      const entry = entries.get(checkedPath(path))
      if (entry === undefined) return undefined
      if (entry.type !== 'blob') return EMPTY_DIGEST
      const { status, stdout } = run(['cat-file', 'blob', entry.id])
      if (status !== 0) throw new EscrowError('unsupported', `git cannot read '${path}' of '${revision}'.`)
      return digest(Buffer.from(stdout, 'latin1'))
    },
  }
}

function entryOf(line: string): [string, { type: string; id: string }][] {
  const [, type = '', id = '', path = ''] = /^\d+ (\w+) ([0-9a-f]+)\t(.+)$/s.exec(line) ?? []
  return type === '' ? [] : [[Buffer.from(path, 'latin1').toString(), { type, id }]]
}

/** Other people write statements, so a path in one must not lead out of the directory. */
function checkedPath(path: string): string {
  const parts = path.split('/')
  if (!isAbsolute(path) && !path.includes('\0') && !parts.some((part) => part === '..' || part === '.' || part === ''))
    return path
  throw new EscrowError('path_escape', `The attestation names a path outside the workspace: ${path}`)
}
