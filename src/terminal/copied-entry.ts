import { readdirSync, type Stats } from 'node:fs'
import type { Overlay, RelPath } from '../../overlay/index.js'
import type { Effect } from './effects.js'
import { type Layer, layerStamp } from './layer.js'

/** The copy at a path: the staged content it came from, and its stamp. */
export interface CopiedEntry {
  readonly token: string
  readonly look: string
  /** The run after which it was last seen unchanged. */
  unchangedIn?: number
}

/** A directory's stamp is its mode alone: its times and size change with its entries. */
export function lookOf(stats: Stats): string {
  return stats.isDirectory() ? `dir ${stats.mode}` : layerStamp(stats)
}

/** Equal tokens mean that a copy need not be made again. */
export function tokenOf(overlay: Overlay, path: RelPath, type: 'file' | 'symlink'): string {
  if (type === 'symlink') return `link ${overlay.readlink(path)}`
  const stats = overlay.lstatBig(path)
  const inode = overlay.placeOf(path).node?.inode
  const content = inode ? inode.digest() : `${stats?.ino} ${stats?.size} ${stats?.ctimeNs}`
  return `${stats?.mode} ${stats?.mtimeNs} ${content}`
}

/** Empty for a directory that a running command has removed or made unreadable. */
export function namesThere(host: string): string[] {
  try {
    return readdirSync(host)
  } catch {
    return []
  }
}

/** The effect of a changed entry that is no directory; none for one that only the command's end decides. */
export function leafEffect(path: RelPath, stats: Stats, layer: Layer, isLive: boolean): Effect[] {
  const mode = stats.mode & 0o7777
  if (stats.isSymbolicLink()) return [{ kind: 'symlink', path, target: layer.target(path) }]
  if (stats.isFile()) {
    const { size, ino, mtimeMs } = stats
    const read = () => layer.read(path, stats)
    return [{ kind: 'file', path, mode, size, ino, mtimeMs, stamp: layerStamp(stats), read }]
  }
  return isLive ? [] : [{ kind: 'other', path, description: 'no file' }]
}
