import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { childOf, nameOf, parentOf, type RelPath } from '../../overlay/index.js'
import { type CopiedEntry, lookOf } from './copied-entry.js'
import { applyStored, GIT, type GitChanges, GitEntries, isDirectoryAt, isIndex, isInGit } from './git-layer.js'
import { layerStamp, restingLayer } from './layer.js'

const HOOKS = childOf(GIT, 'hooks')

/** A changed entry; without stats it is gone. */
interface Change {
  readonly path: RelPath
  readonly stats: Stats | undefined
}

/**
 * The changes of `.git` in a copy of the workspace. They are the differences from what was copied; the next bringing up to the stage
 * undoes them.
 * @param tree the copy
 * @param copied what was copied, by path
 * @param turn another number for each time that something may have changed
 */
export function copiedGit(tree: string, copied: ReadonlyMap<RelPath, CopiedEntry>, turn: () => number): GitChanges {
  const at = `${tree}/${GIT}`
  let found: { readonly turn: number; readonly changes: readonly Change[] } | undefined
  const changes = () => {
    if (found?.turn !== turn()) found = { turn: turn(), changes: changesIn(tree, copied) }
    return found.changes
  }
  const withoutHooks = () => changes().filter(({ path }) => !isHook(path))
  return {
    isOwn: true,
    isReset: true,
    isThere: () => isDirectoryAt(at),
    count: () => withoutHooks().filter(({ path, stats }) => !stats?.isDirectory() && !isIndex(below(path))).length,
    // Hooks are never stored.
    removeHooks: () =>
      changes().some(({ path, stats }) => isHook(path) && !stats?.isDirectory() && !path.endsWith('.sample')),
    has: (name) => isInGit(at, name),
    stamp() {
      const hash = createHash('sha256')
      for (const { path, stats } of withoutHooks()) hash.update(`${path}\0${stampOf(stats)}\0`)
      return hash.digest('hex')
    },
    save(file, info) {
      const entries = new GitEntries(restingLayer(tree), GIT)
      for (const { path, stats } of withoutHooks()) {
        if (entries.isTooLarge) break
        if (stats === undefined) entries.addGone(path)
        else entries.add(path, stats)
      }
      return entries.write(file, info)
    },
    restore(stored) {
      found = undefined
      if (stored !== undefined) applyStored(stored, at)
    },
  }
}

function below(path: RelPath): string {
  return path.slice(GIT.length + 1)
}

function isHook(path: RelPath): boolean {
  return path === HOOKS || path.startsWith(`${HOOKS}/`)
}

function stampOf(stats: Stats | undefined): string {
  if (stats === undefined) return 'gone'
  return stats.isDirectory() ? lookOf(stats) : layerStamp(stats)
}

/** Lists the changed entries, parents before children. A directory is listed if it is new or contains a change. */
function changesIn(tree: string, copied: ReadonlyMap<RelPath, CopiedEntry>): Change[] {
  if (!isDirectoryAt(`${tree}/${GIT}`)) return []
  const layer = restingLayer(tree)
  const before = childrenBelow(GIT, copied)
  const found: Change[] = []
  const visit = (path: RelPath, stats: Stats): void => {
    const isSame = copied.get(path)?.look === lookOf(stats)
    if (!stats.isDirectory()) {
      if (!isSame) found.push({ path, stats })
      return
    }
    const at = found.push({ path, stats })
    const names = new Set(layer.names(path))
    for (const name of names) {
      const child = childOf(path, name)
      const each = layer.look(child)
      if (each !== undefined) visit(child, each)
    }
    for (const name of before.get(path) ?? [])
      if (!names.has(name)) found.push({ path: childOf(path, name), stats: undefined })
    if (isSame && found.length === at) found.pop()
  }
  const top = layer.look(GIT)
  if (top !== undefined) visit(GIT, top)
  return found
}

/** The names that were copied into each directory. */
function childrenBelow(
  dir: RelPath,
  copied: ReadonlyMap<RelPath, CopiedEntry>,
): ReadonlyMap<RelPath, readonly string[]> {
  const found = new Map<RelPath, string[]>()
  for (const path of copied.keys()) {
    if (!path.startsWith(`${dir}/`)) continue
    const names = found.get(parentOf(path))
    if (names === undefined) found.set(parentOf(path), [nameOf(path)])
    else names.push(nameOf(path))
  }
  return found
}
