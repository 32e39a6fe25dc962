import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { ancestorsOf, childOf, type RelPath } from '../../overlay/index.js'
import { GIT_STATE } from '../os/git.js'
import { lookAt } from '../os/read.js'
import { stampOf } from './copied-entry.js'
import type { CopyChange } from './copy-changes.js'
import { DiskIndexes } from './disk-indexes.js'
import { type GitChanges, isInGit, isObjects } from './git-layer.js'
import { layerStamp, restingCopy } from './layer.js'
import { applyStored, GIT, GitEntries, isDirectoryAt } from './stored-git.js'

const HOOKS = childOf(GIT, 'hooks')

/**
 * The changes of `.git` in a copy of the workspace. They are the differences from the copied files. The next update from the stage
 * undoes them.
 * @param root the workspace
 * @param tree the copy
 * @param find lists the changed entries below `.git`
 * @param onRestore is called after the copy was changed
 */
export function copiedGit(
  root: string,
  tree: string,
  find: () => readonly CopyChange[],
  onRestore: () => void,
): GitChanges {
  const at = `${tree}/${GIT}`
  const indexes = new DiskIndexes(`${root}/${GIT}`)
  const changes = () => (isDirectoryAt(at) ? withDirectories(tree, find()) : [])
  const withoutHooks = () => changes().filter(({ path }) => !isHook(path))
  return {
    isOwn: true,
    isReset: true,
    isThere: () => isDirectoryAt(at),
    begin: () => indexes.begin(),
    isChanged() {
      const layer = restingCopy(tree)
      return withoutHooks().some(
        ({ path, stats }) => !stats?.isDirectory() && indexes.isChanged(below(path), layer, path),
      )
    },
    // Hooks are never stored.
    removeHooks: () =>
      changes().some(({ path, stats }) => isHook(path) && !stats?.isDirectory() && !path.endsWith('.sample')),
    has: (name) => isInGit(at, name),
    stamp() {
      const hash = createHash('sha256')
      for (const { path, stats } of withoutHooks()) hash.update(`${path}\0${gitStampOf(stats)}\0`)
      return hash.digest('hex')
    },
    save(file, info) {
      const entries = new GitEntries(restingCopy(tree), GIT)
      for (const { path, stats } of withoutHooks()) {
        if (entries.isTooLarge) break
        if (stats === undefined) entries.addGone(path)
        else entries.add(path, stats)
      }
      for (const name of GIT_STATE) if (lookAt(`${at}/${name}`) === undefined) entries.addGone(childOf(GIT, name))
      return entries.write(file, info)
    },
    restore(stored) {
      if (stored === undefined) return
      applyStored(stored, at)
      onRestore()
    },
  }
}

function below(path: RelPath): string {
  return path.slice(GIT.length + 1)
}

function isHook(path: RelPath): boolean {
  return path === HOOKS || path.startsWith(`${HOOKS}/`)
}

function gitStampOf(stats: Stats | undefined): string {
  if (stats === undefined) return 'gone'
  return stats.isDirectory() ? stampOf(stats) : layerStamp(stats)
}

/** Adds the directories of changed entries. The entries of a directory that was removed or replaced by a file were removed, too. */
function withDirectories(tree: string, changes: readonly CopyChange[]): CopyChange[] {
  const layer = restingCopy(tree)
  const found = new Map<RelPath, CopyChange>()
  const closed = new Set<RelPath>()
  for (const change of changes) {
    if (change.stats === undefined && isObjects(change.path, GIT)) continue
    const dirs = ancestorsOf(change.path).reverse()
    if (dirs.some((dir) => closed.has(dir))) continue
    if (!change.stats?.isDirectory()) closed.add(change.path)
    for (const path of dirs) {
      const stats = layer.lstat(path)
      if (stats !== undefined && !found.has(path)) found.set(path, { path, stats })
    }
    found.set(change.path, change)
  }
  return [...found.values()]
}
