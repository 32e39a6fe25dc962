import type { Stats } from 'node:fs'
import { childOf, isSettled, nameOf, type Overlay, parentOf, type RelPath } from '../../overlay/index.js'
import { layerStamp } from './layer.js'

/** The copy at a path: the staged content it came from, and its stamp. */
export interface CopiedEntry {
  readonly type: 'file' | 'dir' | 'symlink'
  /** Equal tokens mean that a copy need not be made again. Empty for a directory. */
  readonly token: string
  readonly stamp: string
  /** The inode of a directory: another one can have other entries. */
  readonly ino?: number
  /** The source changed just before the copy was made, and can change again without another token. */
  readonly isRacy?: boolean
}

/** A directory's stamp is its mode alone: its times and size change with its entries. */
export function stampOf(stats: Stats): string {
  return stats.isDirectory() ? `dir ${stats.mode}` : layerStamp(stats)
}

/** Whether a path is that of a repository's own directory, or is in one. */
export function isGitPath(path: RelPath): boolean {
  return /(^|\/)\.git(\/|$)/.test(path)
}

/** The token of a file or link of the stage, and whether its source may change without another token. */
export function tokenOf(overlay: Overlay, path: RelPath, type: 'file' | 'symlink'): { token: string; isRacy: boolean } {
  if (type === 'symlink') return { token: `link ${overlay.readlink(path)}`, isRacy: false }
  const stats = overlay.lstatBig(path)
  const inode = overlay.placeOf(path).node?.inode
  const content = inode ? inode.digest() : `${stats?.ino} ${stats?.size} ${stats?.ctimeNs}`
  const isRacy = inode === undefined && stats !== undefined && !isSettled(Number(stats.ctimeNs) / 1e6)
  return { token: `${stats?.mode} ${stats?.mtimeNs} ${content}`, isRacy }
}

/** The entries of a copy, by path. */
export class CopiedTree {
  readonly #entries = new Map<RelPath, CopiedEntry>()
  readonly #names = new Map<RelPath, Set<string>>()
  readonly #gits = new Set<RelPath>()

  get(path: RelPath): CopiedEntry | undefined {
    return this.#entries.get(path)
  }

  set(path: RelPath, entry: CopiedEntry): void {
    this.#entries.set(path, entry)
    if (nameOf(path) === '.git') this.#gits.add(path)
    const dir = parentOf(path)
    const names = this.#names.get(dir)
    if (names) names.add(nameOf(path))
    else this.#names.set(dir, new Set([nameOf(path)]))
  }

  /** Removes an entry and everything below it. */
  forget(path: RelPath): void {
    for (const name of this.namesIn(path)) this.forget(childOf(path, name))
    this.#names.delete(path)
    this.#entries.delete(path)
    this.#gits.delete(path)
    this.#names.get(parentOf(path))?.delete(nameOf(path))
  }

  /** The paths of repositories' own directories, without those in another. */
  repositories(): RelPath[] {
    return [...this.#gits].filter((path) => !isGitPath(parentOf(path)))
  }

  namesIn(dir: RelPath): string[] {
    return [...(this.#names.get(dir) ?? [])]
  }

  /** The paths below a directory, parents first. */
  *below(dir: RelPath): Generator<RelPath, undefined> {
    for (const name of this.#names.get(dir) ?? []) {
      yield childOf(dir, name)
      yield* this.below(childOf(dir, name))
    }
  }
}
