import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileStamp } from '../../overlay/index.js'
import { findGit, type GitDirs, type ReadText } from '../os/git.js'
import { readSmall } from '../os/read.js'

/** A version control revision in a record. */
export interface Vcs {
  readonly type: 'git'
  /** The full hex id of the commit at HEAD. */
  readonly revision: string
}

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const REF = /^refs\/(?!.*\.\.)[^\s\\:?*[~^]+$/
const MAX_HOPS = 5
const MAX_BYTES = 16 * 1024 * 1024

/**
 * Reads the commit at HEAD from the files in `.git`, without a process. Finds the repository of the root or of the
 * nearest directory above it.
 * @returns a function for the current revision. It returns undefined without a repository, in an empty one, and for an
 * unknown format. Repeated calls cost a few `stat`s while nothing changes.
 */
export function openVcs(root: string): () => Vcs | undefined {
  const read = textReader()
  return () => {
    const dirs = findGit(root, read)
    const revision = dirs && resolveRef(dirs, 'HEAD', read, 0)
    return revision === undefined ? undefined : { type: 'git', revision }
  }
}

/**
 * Reads `HEAD` and refs of the repository that a directory is in.
 * @returns a function for the id of a ref; undefined without one, and for an unknown format
 */
export function openRefs(root: string): (ref: string) => string | undefined {
  const read = textReader()
  return (ref) => {
    const dirs = findGit(root, read)
    if (dirs === undefined || (ref !== 'HEAD' && !REF.test(ref))) return undefined
    return resolveRef(dirs, ref, read, 0)
  }
}

/**
 * The content of HEAD: the current branch (`ref: refs/heads/main`) or a commit; undefined without a repository. The
 * ledger is a file of the working tree, so each branch has its own.
 */
export function openBranch(root: string): () => string | undefined {
  const read = textReader()
  return () => {
    const dirs = findGit(root, read)
    return dirs && read(join(dirs.own, 'HEAD'))?.trim()
  }
}

/** Reads small text files, and reads each one again only after it was touched. */
function textReader(): ReadText {
  const files = new Map<string, { stamp: string; text: string | undefined }>()
  return (path) => {
    const stamp = smallFileStamp(path)
    if (stamp === undefined) return undefined
    const known = files.get(path)
    if (known?.stamp === stamp) return known.text
    const text = attempt(() => readSmall(path, MAX_BYTES))
    files.set(path, { stamp, text })
    return text
  }
}

function resolveRef(dirs: GitDirs, name: string, read: ReadText, hops: number): string | undefined {
  if (hops > MAX_HOPS) return undefined
  const text = (read(join(dirs.own, name)) ?? (name === 'HEAD' ? undefined : read(join(dirs.common, name))))?.trim()
  if (text === undefined) return packedRef(read(join(dirs.common, 'packed-refs')), name)
  if (HASH.test(text)) return text
  const target = text.startsWith('ref:') ? text.slice(4).trim() : undefined
  return target !== undefined && REF.test(target) ? resolveRef(dirs, target, read, hops + 1) : undefined
}

function packedRef(packed: string | undefined, name: string): string | undefined {
  if (packed === undefined) return undefined
  const line = packed.split('\n').find((entry) => entry.endsWith(` ${name}`))
  const hash = line?.slice(0, line.indexOf(' '))
  return hash !== undefined && HASH.test(hash) ? hash : undefined
}

function smallFileStamp(path: string): string | undefined {
  const stat = attempt(() => statSync(path, { bigint: true, throwIfNoEntry: false }))
  if (stat === undefined || !stat.isFile() || stat.size > MAX_BYTES) return undefined
  return fileStamp(stat)
}

/**
 * Undefined if the file is absent, unreadable or replaced meanwhile: a record without a revision is still a record.
 */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
