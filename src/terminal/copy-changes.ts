import type { Stats } from 'node:fs'
import { childOf, parentOf, type RelPath, ROOT } from '../../overlay/index.js'
import { type CopiedTree, isGitPath, stampOf } from './copied-entry.js'
import { restingCopy } from './layer.js'

/** An entry of a copy that commands changed; without stats it is gone. */
export interface CopyChange {
  readonly path: RelPath
  readonly stats: Stats | undefined
}

export interface CopyChanges {
  /** Parents before children. Everything below a new or removed directory is listed, too. */
  readonly changes: readonly CopyChange[]
  /** Topmost paths that are kept for the session's later commands. */
  readonly kept: readonly RelPath[]
}

/** The copy to search, and the rules for it. */
export interface CopySearch {
  readonly tree: string
  readonly copied: CopiedTree
  /** Whether an entry that was not copied is to be kept. */
  readonly isKept: (path: RelPath, isDirectory: boolean) => boolean
}

/** Compares a whole copy, in which no process runs, with its originals. */
export function allChanges(search: CopySearch): CopyChanges {
  const walk = new Walk(search)
  walk.below(ROOT)
  return walk.found()
}

/** As {@link allChanges}, for one directory and everything below it. */
export function changesBelow(search: CopySearch, dir: RelPath): CopyChanges {
  const walk = new Walk(search)
  walk.entry(dir, true)
  return walk.found()
}

/**
 * As {@link allChanges}, where only some entries can have changed. An added or removed entry changes its directory.
 * @param candidates these entries, parents first
 * @param kept paths that were kept before
 */
export function changesAmong(search: CopySearch, candidates: readonly RelPath[], kept: Iterable<RelPath>): CopyChanges {
  const walk = new Walk(search)
  for (const path of candidates) walk.candidate(path)
  // The rules on kept files may have changed.
  for (const path of kept) if (search.copied.get(path) === undefined) walk.candidate(path)
  return walk.found()
}

class Walk {
  readonly #changes: CopyChange[] = []
  readonly #kept: RelPath[] = []
  readonly #seen = new Set<RelPath>()
  readonly #layer
  readonly #copied

  constructor(private readonly search: CopySearch) {
    this.#layer = restingCopy(search.tree)
    this.#copied = search.copied
  }

  found(): CopyChanges {
    const order = (a: CopyChange, b: CopyChange) => (a.path < b.path ? -1 : 1)
    return { changes: this.#changes.sort(order), kept: this.#kept.sort() }
  }

  candidate(path: RelPath): void {
    const dir = parentOf(path)
    // The walk of a new directory has already listed its entries. The entries of a kept directory do not matter.
    if (dir !== ROOT && this.#copied.get(dir) === undefined) return
    if (path !== ROOT) this.entry(path, false)
    const isHere = path === ROOT || this.#layer.lstat(path)?.isDirectory() === true
    if (isHere && (path === ROOT || this.#copied.get(path)?.type === 'dir')) this.#names(path, false)
  }

  below(dir: RelPath): void {
    this.#names(dir, true)
  }

  /** @param isWhole whether to compare everything below a directory */
  entry(path: RelPath, isWhole: boolean): void {
    if (this.#seen.has(path)) return
    const stats = this.#layer.lstat(path)
    const copied = this.#copied.get(path)
    // The decoded form of a name that is not UTF-8 matches no entry.
    if (stats === undefined) {
      this.#gone(path)
      return
    }
    this.#seen.add(path)
    const isDirectory = stats.isDirectory()
    if (copied === undefined && !isGitPath(path) && this.search.isKept(path, isDirectory)) {
      this.#kept.push(path)
      return
    }
    if (copied?.stamp !== stampOf(stats)) this.#changes.push({ path, stats })
    if (!isDirectory) this.#goneBelow(path)
    else if (isWhole || copied?.ino !== stats.ino) this.below(path)
  }

  #names(dir: RelPath, isWhole: boolean): void {
    const names = new Set(this.#layer.names(dir))
    for (const name of names) this.entry(childOf(dir, name), isWhole)
    for (const name of this.#copied.namesIn(dir)) if (!names.has(name)) this.#gone(childOf(dir, name))
  }

  #gone(path: RelPath): void {
    if (this.#seen.has(path) || this.#copied.get(path) === undefined) return
    this.#seen.add(path)
    this.#changes.push({ path, stats: undefined })
    this.#goneBelow(path)
  }

  #goneBelow(dir: RelPath): void {
    for (const path of this.#copied.below(dir)) {
      this.#seen.add(path)
      this.#changes.push({ path, stats: undefined })
    }
  }
}
