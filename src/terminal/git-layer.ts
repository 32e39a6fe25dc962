import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { childOf, parentOf, type RelPath } from '../../overlay/index.js'
import { GIT_STATE } from '../os/git.js'
import { ifReadable } from '../os/read.js'
import { linkSync, removeTree } from '../os/write.js'
import { DiskIndexes } from './disk-indexes.js'
import { layerStamp, restingLayer } from './layer.js'
import {
  applyStored,
  GIT,
  GitEntries,
  type GitLayerInfo,
  isDirectoryAt,
  readStoredGit,
  type StoredGit,
} from './stored-git.js'

/**
 * The changes that a session's commands made in the repository's `.git`. During a mount they are in a layer that commands write to,
 * and between mounts in one file of the state directory. A person's git cannot mistake a file for a repository, and that matters:
 * the settings in it are the agent's.
 */

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

/** The changes of `.git` in a layer. */
export function layeredGit(place: GitLayerPlace): GitChanges {
  const indexes = new DiskIndexes(place.disk)
  const restore = (stored: StoredGit | undefined): void => {
    const at = `${place.written}/${place.name}`
    removeTree(at)
    if (stored !== undefined) applyStored(stored, at, (host) => linkSync(place.whiteout, host))
  }
  return {
    isOwn: place.name === GIT,
    isReset: false,
    isThere: () => isDirectoryAt(`${place.written}/${place.name}`),
    begin: () => indexes.begin(),
    isChanged: () => isLayerChanged(place, indexes),
    removeHooks: () => removeHooks(place),
    has: (name) => isInGit(`${place.written}/${place.name}`, name),
    stamp: () => gitLayerStamp(place),
    save(file, info) {
      const { entries, isAsWritten } = storableEntries(place)
      const problem = entries.write(file, info)
      if (problem === undefined && !isAsWritten) restore(readStoredGit(file))
      return problem
    },
    restore,
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

/** The entries to store, and whether the layer has no others. */
function storableEntries(place: GitLayerPlace): { entries: GitEntries; isAsWritten: boolean } {
  const { written, name: git, disk } = place
  const entries = new GitEntries(restingLayer(written), git)
  let isAsWritten = true
  const takeBelow = (path: RelPath): void => {
    const names = new Set(entries.layer.names(path))
    for (const name of names) take(childOf(path, name))
    // Commands begin without the names of a directory on disk that this user cannot read.
    const hidden = (ifReadable(() => place.hiddenNames(path)) ?? []).filter((name) => !names.has(name))
    if (isObjects(path, git) && hidden.length > 0) isAsWritten = false
    const hasState = (path === git || parentOf(path) === `${git}/worktrees`) && names.has('HEAD')
    const unmade = hasState ? GIT_STATE.filter((name) => !names.has(name)) : []
    if (unmade.some((name) => !hidden.includes(name))) isAsWritten = false
    for (const name of new Set([...hidden, ...unmade])) entries.addGone(childOf(path, name))
  }
  const takeGone = (path: RelPath): void => {
    const onDisk = `${disk}/${path.slice(git.length + 1)}`
    if (!isObjects(path, git) || !isDirectoryAt(onDisk)) {
      entries.addGone(path)
      return
    }
    isAsWritten = false
    entries.add(path, lstatSync(onDisk))
    for (const name of readdirSync(onDisk)) entries.addGone(childOf(path, name))
  }
  const take = (path: RelPath): void => {
    const stats = entries.layer.lstat(path)
    // A name that is not UTF-8 cannot be stored.
    if (!stats || entries.isTooLarge) return
    if (stats.isDirectory()) {
      entries.add(path, stats)
      takeBelow(path)
    } else if (stats.isCharacterDevice() && stats.rdev === 0) takeGone(path)
    else entries.add(path, stats)
  }
  take(git)
  return { entries, isAsWritten }
}

/**
 * Whether a path is a directory of objects in a repository's directory. A command that packs its objects removes it, but not what a
 * person adds to it later.
 */
export function isObjects(path: RelPath, git: RelPath): boolean {
  return path.startsWith(`${git}/objects/`) && /^[0-9a-f]{2}$/.test(path.slice(git.length + '/objects/'.length))
}
