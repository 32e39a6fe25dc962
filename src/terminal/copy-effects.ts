import type { Stats } from 'node:fs'
import { childOf, nameOf, parentOf, type RelPath, ROOT } from '../../overlay/index.js'
import { type CopiedTree, isGitPath, stampOf } from './copied-entry.js'
import type { CopyChanges } from './copy-changes.js'
import type { Effect, EffectQuery, Effects } from './effects.js'
import { isInUse, type Layer, layerStamp, liveLayer, restingCopy } from './layer.js'

/** Git refreshes its index by itself, so that does not count. */
const INDEX = /\.git\/index(\.lock)?$/

/** The effects of commands that have ended, from the changes in a copy. */
export function effectsOf(
  tree: string,
  { changes, kept }: CopyChanges,
  copied: CopiedTree,
  { overlay }: EffectQuery,
): Effects {
  const layer = restingCopy(tree)
  const [effects, gone]: [Effect[], Effect[]] = [[], []]
  const missing = new Set(changes.flatMap(({ path, stats }) => (stats === undefined ? [path] : [])))
  const gitCounts = new Map(copied.repositories().map((path) => [path, 0]))
  for (const { path, stats } of changes)
    if (isGitPath(path)) {
      const top = gitAbove(path)
      if (stats === undefined && nameOf(path) === '.git') gone.push({ kind: 'git', path, count: 1 })
      const isCounted = stats === undefined ? path !== top : !stats.isDirectory() && !INDEX.test(path)
      if (!missing.has(top)) gitCounts.set(top, (gitCounts.get(top) ?? 0) + (isCounted ? 1 : 0))
    } else if (stats === undefined) {
      if (!missing.has(parentOf(path))) gone.push({ kind: 'gone', path })
    } else if (stats.isDirectory())
      effects.push({ kind: 'dir', path, mode: stats.mode & 0o7777, isNew: overlay.typeOf(path) !== 'dir' })
    else effects.push(...leafEffect(path, stats, layer, false))
  for (const [path, count] of gitCounts) if (!missing.has(path)) effects.push({ kind: 'git', path, count })
  return { effects: [...effects, ...gone], kept: [...kept], unsettled: [], close: () => layer.close() }
}

/** The topmost `.git` that a path is at or in. */
function gitAbove(path: RelPath): RelPath {
  const segments = path.split('/')
  return segments.slice(0, segments.indexOf('.git') + 1).join('/') as RelPath
}

/**
 * The effects so far of a command that runs: it can put a link in the place of any directory meanwhile. Effects that
 * only its end decides are left out.
 */
export function liveEffects(tree: string, copied: CopiedTree, { overlay, isKept }: EffectQuery): Effects {
  const layer = liveLayer(tree)
  const found: Effects = { effects: [], kept: [], unsettled: [], close: () => layer.close() }
  const seen = new Set<RelPath>()
  const attempt = (path: RelPath, work: () => void): void => {
    try {
      work()
    } catch (error) {
      if (!isInUse(error)) throw error
      found.unsettled.push(path)
    }
  }
  const walk = (dir: RelPath): void => {
    for (const name of layer.names(dir)) {
      const path = childOf(dir, name)
      seen.add(path)
      attempt(path, () => {
        const stats = layer.lstat(path)
        if (stats) inspect(path, stats)
        else seen.delete(path)
      })
    }
  }
  const inspect = (path: RelPath, stats: Stats): void => {
    if (nameOf(path) === '.git') return
    const before = copied.get(path)
    if (before === undefined && isKept(path, stats.isDirectory())) found.kept.push(path)
    else if (stats.isDirectory()) {
      if (before?.stamp !== stampOf(stats))
        found.effects.push({ kind: 'dir', path, mode: stats.mode & 0o7777, isNew: overlay.typeOf(path) !== 'dir' })
      walk(path)
    } else if (before?.stamp !== stampOf(stats)) found.effects.push(...leafEffect(path, stats, layer, true))
  }
  attempt(ROOT, () => walk(ROOT))
  const unsettled = new Set(found.unsettled)
  for (const path of [...copied.below(ROOT)].sort()) {
    if (seen.has(path) || isGitPath(path)) continue
    const dir = parentOf(path)
    if ((dir === ROOT || seen.has(dir)) && !unsettled.has(dir)) found.effects.push({ kind: 'gone', path })
  }
  return found
}

/** The effect of a changed entry that is not a directory; none for one that only the command's end decides. */
function leafEffect(path: RelPath, stats: Stats, layer: Layer, isLive: boolean): Effect[] {
  const mode = stats.mode & 0o7777
  if (stats.isSymbolicLink()) return [{ kind: 'symlink', path, target: layer.target(path) }]
  if (stats.isFile()) {
    const { size, ino, mtimeMs } = stats
    const read = () => layer.read(path, stats)
    return [{ kind: 'file', path, mode, size, ino, mtimeMs, stamp: layerStamp(stats), read }]
  }
  return isLive ? [] : [{ kind: 'other', path, description: 'no file' }]
}
