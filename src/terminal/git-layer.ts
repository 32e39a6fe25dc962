import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs'
import { asRelPath, childOf, codeOf, type RelPath } from '../../overlay/index.js'
import {
  chmodSync,
  createFile,
  linkSync,
  makeDir,
  makeSymlink,
  removeTree,
  replaceDurable,
  setTimes,
} from '../os/write.js'
import { layerStamp, restingLayer } from './layer.js'

/**
 * The changes that a session's commands made in the repository's `.git`. During a mount they are in a layer that commands write to,
 * and between mounts in one file of the state directory. A person's git cannot mistake a file for a repository, and that matters:
 * the settings in it are the agent's.
 */

/** The repository's own directory, at the workspace's root; in the stored state also for a directory elsewhere. */
export const GIT = asRelPath('.git')

/** Largest total of its files (bytes). */
const MAX_GIT_LAYER = 256 * 2 ** 20
/** Largest number of its files and directories. */
const MAX_GIT_ENTRIES = 100_000

/** The layer that commands write to, while no command uses it. */
export interface GitLayerPlace {
  readonly written: string
  /** The repository's directory in that layer: {@link GIT}, or another name where it is outside the workspace. */
  readonly name: RelPath
  /** A character device 0/0, which marks a deleted name. */
  readonly whiteout: string
  /** Names of the lower layers that a replaced directory hides. */
  hiddenNames(dir: RelPath): readonly string[]
}

type Entry =
  | readonly [kind: 'dir', path: string, mode: number]
  | readonly [kind: 'file', path: string, mode: number, mtimeMs: number, size: number]
  | readonly [kind: 'link', path: string, target: string]
  | readonly [kind: 'gone', path: string]

interface Head {
  readonly version: 1
  /** The commit at HEAD on disk that the changes are based on. */
  readonly base: string | null
  /** It has commits or refs that the repository on disk lacks. */
  readonly own: boolean
  readonly entries: readonly Entry[]
}

export type GitLayerInfo = Pick<Head, 'base' | 'own'>

/** A stored state. The contents of its files follow each other in `bytes`, beginning at `from`. */
export interface StoredGit {
  readonly head: Head
  readonly bytes: Buffer
  readonly from: number
}

/** Whether commands have changed the `.git` directory in this layer. Not if they removed or replaced it. */
export function hasGitLayer({ written, name }: GitLayerPlace): boolean {
  return lstatSync(`${written}/${name}`, { throwIfNoEntry: false })?.isDirectory() === true
}

/** The number of changed files below a `.git` directory, without its index, which git refreshes by itself. */
export function countGitLayer(written: string, git: RelPath): number {
  const count = (dir: RelPath): number =>
    readdirSync(`${written}/${dir}`, { withFileTypes: true }).reduce((sum, entry) => {
      if (entry.isDirectory()) return sum + count(childOf(dir, entry.name))
      return isIndex(childOf(dir, entry.name).slice(git.length + 1)) ? sum : sum + 1
    }, 0)
  return count(git)
}

/** Whether a path below `.git` is the index of its working tree, or of a linked one. */
function isIndex(path: string): boolean {
  return /^(?:worktrees\/[^/]+\/)?index(?:\.lock)?$/.test(path)
}

/** Removes changed hooks from the layer, so that the hooks on disk apply again. Returns whether any but samples had changed. */
export function removeHooks({ written, name }: GitLayerPlace): boolean {
  const hooks = `${written}/${name}/hooks`
  const stats = lstatSync(hooks, { throwIfNoEntry: false })
  if (stats === undefined) return false
  const isHook = !stats.isDirectory() || readdirSync(hooks).some((hook) => !hook.endsWith('.sample'))
  if (isHook) removeTree(hooks)
  return isHook
}

/** Whether commands have made a file or directory with this name in `.git`, or in that of a linked worktree. */
export function isInGitLayer({ written, name }: GitLayerPlace, file: string): boolean {
  const git = `${written}/${name}`
  const isThere = (dir: string): boolean => {
    const stats = lstatSync(`${dir}/${file}`, { throwIfNoEntry: false })
    return stats?.isFile() === true || stats?.isDirectory() === true
  }
  const linked = `${git}/worktrees`
  const isDir = lstatSync(linked, { throwIfNoEntry: false })?.isDirectory() === true
  return isThere(git) || (isDir && readdirSync(linked).some((each) => isThere(`${linked}/${each}`)))
}

/** Returns a digest that stays equal until a command changes the layer's `.git`. */
export function gitLayerStamp({ written, name: git }: GitLayerPlace): string {
  const hash = createHash('sha256')
  const look = (path: RelPath, stats: Stats): void => {
    hash.update(`${path}\0${stats.isDirectory() ? stats.mode : layerStamp(stats)}\0`)
    if (stats.isDirectory()) for (const name of readdirSync(`${written}/${path}`).sort()) each(childOf(path, name))
  }
  const each = (path: RelPath): void => {
    const stats = lstatSync(`${written}/${path}`, { throwIfNoEntry: false })
    if (stats) look(path, stats)
  }
  each(git)
  return hash.digest('hex')
}

/**
 * Stores the layer's `.git` in a file.
 * @returns why it could not be stored; undefined if it was.
 */
export function saveGitLayer(file: string, place: GitLayerPlace, info: GitLayerInfo): string | undefined {
  const entries: Entry[] = []
  const contents: Buffer[] = []
  const layer = restingLayer(place.written)
  let bytes = 0
  let isTooLarge = false
  const stored = (path: RelPath) => `${GIT}${path.slice(place.name.length)}`
  const take = (path: RelPath): void => {
    const stats = layer.look(path)
    // A name that is not UTF-8 cannot be stored.
    if (!stats || isTooLarge) return
    const mode = stats.mode & 0o777
    if (stats.isDirectory()) {
      entries.push(['dir', stored(path), mode])
      const names = new Set(layer.names(path))
      for (const name of names) take(childOf(path, name))
      for (const name of place.hiddenNames(path))
        if (!names.has(name)) entries.push(['gone', stored(childOf(path, name))])
    } else if (stats.isSymbolicLink()) entries.push(['link', stored(path), layer.target(path)])
    else if (stats.isFile()) {
      bytes += stats.size
      isTooLarge = bytes > MAX_GIT_LAYER || entries.length > MAX_GIT_ENTRIES
      if (isTooLarge) return
      const data = layer.read(path, stats)
      contents.push(data)
      entries.push(['file', stored(path), mode, stats.mtimeMs, data.length])
    } else if (stats.isCharacterDevice() && stats.rdev === 0) entries.push(['gone', stored(path)])
  }
  take(place.name)
  if (isTooLarge) return `it is larger than ${MAX_GIT_LAYER / 2 ** 20} MiB or ${MAX_GIT_ENTRIES} files`
  const { base, own } = info
  const head: Head = { version: 1, base, own, entries }
  replaceDurable(file, Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...contents]), 0o600)
  return undefined
}

/** Identifies the stored state; undefined if there is none. */
export function storedGitStamp(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  return stats === undefined ? undefined : layerStamp(stats)
}

/** Replaces the layer's `.git` with a stored state, or removes it if there is none. */
export function restoreGitLayer(
  stored: StoredGit | undefined,
  { written, name, whiteout }: Omit<GitLayerPlace, 'hiddenNames'>,
): void {
  removeTree(`${written}/${name}`)
  if (stored === undefined) return
  let at = stored.from
  const dirs: [host: string, mode: number][] = []
  for (const entry of stored.head.entries) {
    const host = `${written}/${name}${entry[1].slice(GIT.length)}`
    if (entry[0] === 'dir') {
      makeDir(host, 0o700)
      dirs.push([host, entry[2]])
    } else if (entry[0] === 'file') {
      const [, , mode, mtimeMs, size] = entry
      createFile(host, stored.bytes.subarray(at, at + size), mode, false)
      chmodSync(host, mode)
      // Git compares the time of its index with those of the files.
      setTimes(host, mtimeMs / 1000, mtimeMs / 1000)
      at += size
    } else if (entry[0] === 'link') makeSymlink(entry[2], host)
    else linkSync(whiteout, host)
  }
  for (const [host, mode] of dirs.reverse()) chmodSync(host, mode)
}

/** Reads the stored state. Returns undefined if there is none, or if its format is unknown. */
export function readStoredGit(file: string): StoredGit | undefined {
  try {
    const bytes = readFileSync(file)
    const end = bytes.indexOf(10)
    const head: Head = JSON.parse(bytes.subarray(0, end).toString())
    return head.version === 1 ? { head, bytes, from: end + 1 } : undefined
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
