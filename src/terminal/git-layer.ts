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
import { DiskIndexes } from './disk-indexes.js'
import { type Layer, layerStamp, restingLayer } from './layer.js'

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

/** The commands' changes in a repository's `.git`. No command may be running when it is used. */
export interface GitChanges {
  /** The repository is the workspace's own `.git`. */
  readonly isOwn: boolean
  /** Each new command begins with the `.git` of the disk, so the changes are restored for it. */
  readonly isReset: boolean
  /** Whether commands work on a `.git` directory there. Not if they removed or replaced it. */
  isThere(): boolean
  /** A command starts: from now on, only its changes count. */
  begin(): void
  /** Whether commands have changed more than the times in an index, which git refreshes by itself. */
  isChanged(): boolean
  /** Leaves changed hooks out, so that the hooks on disk apply again. Returns whether any but samples had changed. */
  removeHooks(): boolean
  /** Whether commands have made a file or directory with this name in `.git`, or in that of a linked worktree. */
  has(name: string): boolean
  /** A digest that stays equal until a command changes something. */
  stamp(): string
  /**
   * Stores the changes in a file.
   * @returns why they could not be stored; undefined if they were.
   */
  save(file: string, info: GitLayerInfo): string | undefined
  /** Replaces the changes with stored ones, or removes them if there are none. */
  restore(stored: StoredGit | undefined): void
}

/** The layer that commands write to, while no command uses it. */
export interface GitLayerPlace {
  readonly written: string
  /** The repository's directory in that layer: {@link GIT}, or another name if it is outside the workspace. */
  readonly name: RelPath
  /** A character device 0/0, which marks a deleted name. */
  readonly whiteout: string
  /** The repository's directory on disk. */
  readonly disk: string
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

/** The changes of `.git` in a layer. */
export function layeredGit(place: GitLayerPlace): GitChanges {
  const indexes = new DiskIndexes(place.disk)
  return {
    isOwn: place.name === GIT,
    isReset: false,
    isThere: () => isDirectoryAt(`${place.written}/${place.name}`),
    begin: () => indexes.begin(),
    isChanged: () => isLayerChanged(place, indexes),
    removeHooks: () => removeHooks(place),
    has: (name) => isInGit(`${place.written}/${place.name}`, name),
    stamp: () => gitLayerStamp(place),
    save: (file, info) => saveGitLayer(file, place, info),
    restore(stored) {
      const at = `${place.written}/${place.name}`
      removeTree(at)
      if (stored !== undefined) applyStored(stored, at, (host) => linkSync(place.whiteout, host))
    },
  }
}

function isLayerChanged({ written, name: git }: GitLayerPlace, indexes: DiskIndexes): boolean {
  const layer = restingLayer(written)
  const isChanged = (dir: RelPath): boolean =>
    readdirSync(`${written}/${dir}`, { withFileTypes: true }).some((entry) => {
      const path = childOf(dir, entry.name)
      return entry.isDirectory() ? isChanged(path) : indexes.isChanged(path.slice(git.length + 1), layer, path)
    })
  return isChanged(git)
}

function removeHooks({ written, name }: GitLayerPlace): boolean {
  if (!isDirectoryAt(`${written}/${name}`)) return false
  const hooks = `${written}/${name}/hooks`
  const stats = lstatSync(hooks, { throwIfNoEntry: false })
  if (stats === undefined) return false
  const isHook = !stats.isDirectory() || readdirSync(hooks).some((hook) => !hook.endsWith('.sample'))
  if (isHook) removeTree(hooks)
  return isHook
}

/** Whether a `.git` directory, or that of a linked worktree in it, has a file or directory with this name. */
export function isInGit(git: string, name: string): boolean {
  const isThere = (dir: string): boolean => {
    const stats = lstatSync(`${dir}/${name}`, { throwIfNoEntry: false })
    return stats?.isFile() === true || stats?.isDirectory() === true
  }
  const linked = `${git}/worktrees`
  return isThere(git) || (isDirectoryAt(linked) && readdirSync(linked).some((each) => isThere(`${linked}/${each}`)))
}

export function isDirectoryAt(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function gitLayerStamp({ written, name: git }: GitLayerPlace): string {
  const hash = createHash('sha256')
  const inspect = (path: RelPath, stats: Stats): void => {
    hash.update(`${path}\0${stats.isDirectory() ? stats.mode : layerStamp(stats)}\0`)
    if (stats.isDirectory()) for (const name of readdirSync(`${written}/${path}`).sort()) each(childOf(path, name))
  }
  const each = (path: RelPath): void => {
    const stats = lstatSync(`${written}/${path}`, { throwIfNoEntry: false })
    if (stats) inspect(path, stats)
  }
  each(git)
  return hash.digest('hex')
}

function saveGitLayer(file: string, place: GitLayerPlace, info: GitLayerInfo): string | undefined {
  const entries = new GitEntries(restingLayer(place.written), place.name)
  const take = (path: RelPath): void => {
    const stats = entries.layer.lstat(path)
    // A name that is not UTF-8 cannot be stored.
    if (!stats || entries.isTooLarge) return
    if (stats.isDirectory()) {
      entries.add(path, stats)
      const names = new Set(entries.layer.names(path))
      for (const name of names) take(childOf(path, name))
      for (const name of place.hiddenNames(path)) if (!names.has(name)) entries.addGone(childOf(path, name))
    } else if (stats.isCharacterDevice() && stats.rdev === 0) entries.addGone(path)
    else entries.add(path, stats)
  }
  take(place.name)
  return entries.write(file, info)
}

/** The entries of a stored state, parents first. */
export class GitEntries {
  readonly #entries: Entry[] = []
  readonly #contents: Buffer[] = []
  #bytes = 0
  isTooLarge = false

  /** @param name the repository's directory in the layer */
  constructor(
    readonly layer: Layer,
    private readonly name: RelPath,
  ) {}

  /** Adds a directory, a file or a link. Other types are left out. */
  add(path: RelPath, stats: Stats): void {
    const mode = stats.mode & 0o777
    if (stats.isDirectory()) this.#entries.push(['dir', this.#stored(path), mode])
    else if (stats.isSymbolicLink()) this.#entries.push(['link', this.#stored(path), this.layer.target(path)])
    else if (stats.isFile()) {
      this.#bytes += stats.size
      this.isTooLarge ||= this.#bytes > MAX_GIT_LAYER || this.#entries.length > MAX_GIT_ENTRIES
      if (this.isTooLarge) return
      const data = this.layer.read(path, stats)
      this.#contents.push(data)
      this.#entries.push(['file', this.#stored(path), mode, stats.mtimeMs, data.length])
    }
  }

  addGone(path: RelPath): void {
    this.#entries.push(['gone', this.#stored(path)])
  }

  /** @returns why they could not be stored; undefined if they were. */
  write(file: string, { base, own }: GitLayerInfo): string | undefined {
    if (this.isTooLarge) return `it is larger than ${MAX_GIT_LAYER / 2 ** 20} MiB or ${MAX_GIT_ENTRIES} files`
    const head: Head = { version: 1, base, own, entries: this.#entries }
    replaceDurable(file, Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...this.#contents]), 0o600)
    return undefined
  }

  #stored(path: RelPath): string {
    return `${GIT}${path.slice(this.name.length)}`
  }
}

/** Identifies the stored state; undefined if there is none. */
export function storedGitStamp(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  return stats === undefined ? undefined : layerStamp(stats)
}

/**
 * Applies a stored state to a `.git` directory.
 * @param markGone marks a removed name, if a layer below has it
 */
export function applyStored(stored: StoredGit, git: string, markGone: (host: string) => void = () => undefined): void {
  let at = stored.from
  const dirs: [host: string, mode: number][] = []
  for (const entry of stored.head.entries) {
    const host = `${git}${entry[1].slice(GIT.length)}`
    const isKept = entry[0] === 'dir' && isDirectoryAt(host)
    if (!isKept) removeTree(host)
    if (entry[0] === 'dir') {
      if (isKept) chmodSync(host, 0o700)
      else makeDir(host, 0o700)
      dirs.push([host, entry[2]])
    } else if (entry[0] === 'file') {
      const [, , mode, mtimeMs, size] = entry
      createFile(host, stored.bytes.subarray(at, at + size), mode, false)
      chmodSync(host, mode)
      // Git compares the time of its index with those of the files.
      setTimes(host, mtimeMs / 1000, mtimeMs / 1000)
      at += size
    } else if (entry[0] === 'link') makeSymlink(entry[2], host)
    else markGone(host)
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
