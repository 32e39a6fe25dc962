import type { BigIntStats, Stats } from 'node:fs'
import {
  bigStatsOf,
  contentOf,
  type DirectoryTimes,
  type Inode,
  type LowerName,
  type Overlay,
  type RelPath,
  type Resolver,
  statsOf,
} from '../../overlay/index.js'

const KEPT = 20_000

/** Decides at a time in milliseconds whether a place may be read. */
export interface ResolvedPathJudge {
  mayReadCached(cached: ResolvedPath, at: number): boolean
}

/**
 * Caches names that were resolved and judged a moment ago, by their text. Most calls of an agent repeat a name, and a
 * map lookup is faster than resolving it, a lookup in the trie and a decision. It contains only plain names in known
 * directories; the last name is not checked. It is cleared together with the cache of directories.
 */
export class ResolvedPathCache {
  readonly #known = new Map<string, ResolvedPath>()
  #since: unknown

  constructor(
    private readonly resolver: Resolver,
    private readonly overlay: Overlay,
    private readonly judge: ResolvedPathJudge,
  ) {}

  /** Undefined if the name must be resolved in full, or may not be read, which full resolution reports properly. */
  find(text: unknown): ResolvedPath | undefined {
    if (typeof text !== 'string') return undefined
    const at = performance.now()
    const since = this.resolver.since(at)
    if (since !== this.#since || this.#known.size >= KEPT) {
      this.#known.clear()
      this.#since = since
    }
    const cached = this.#known.get(text) ?? this.#make(text)
    return cached && !cached.mayGiveWay && this.judge.mayReadCached(cached, at) ? cached : undefined
  }

  #make(text: string): ResolvedPath | undefined {
    const path = this.resolver.quick(text)
    if (path === undefined) return undefined
    const cached = new ResolvedPath(path, this.overlay)
    this.#known.set(text, cached)
    return cached
  }
}

/** One place of the merged view. Its staged entry is looked up again after each edit. */
export class ResolvedPath {
  /** The token of the decision that it may be read; undefined: none is cached. */
  judgedBy: unknown
  #edits = -1
  #inode: Inode | undefined
  #mayGiveWay = false
  #lower: RelPath | undefined
  #name: LowerName | undefined

  constructor(
    readonly path: RelPath,
    private readonly overlay: Overlay,
  ) {}

  get #times(): DirectoryTimes {
    return this.overlay.stage.directoryTimes
  }

  get staged(): boolean {
    return this.#find() !== undefined
  }

  /** Whether its staged entry changes nothing: full resolution checks with the disk whether it still shows. */
  get mayGiveWay(): boolean {
    this.#find()
    return this.#mayGiveWay
  }

  /** Undefined if it is absent or a link: full resolution finds out which. Throws as readFile does. */
  read(): Buffer | undefined {
    const inode = this.#find()
    if (inode) return inode.type === 'symlink' ? undefined : contentOf(inode)
    return this.#name?.read()
  }

  /** As {@link read}, as UTF-8 text. */
  readText(): string | undefined {
    const inode = this.#find()
    if (inode) return inode.type === 'symlink' ? undefined : contentOf(inode).toString()
    return this.#name?.readText()
  }

  lstat(): Stats | undefined {
    const inode = this.#find()
    return inode ? statsOf(inode, this.overlay.dev) : this.#times.withTimes(this.path, this.#name?.lstat())
  }

  lstatBig(): BigIntStats | undefined {
    const inode = this.#find()
    return inode ? bigStatsOf(inode, this.overlay.dev) : this.#times.withTimes(this.path, this.#name?.lstatBig())
  }

  /** Undefined if it is a link whose target must be resolved. */
  exists(): boolean | undefined {
    const inode = this.#find()
    if (inode) return inode.type === 'symlink' ? undefined : true
    if (this.#lower === undefined || !this.#name) return false
    return this.overlay.existsLower(this.#lower, this.#name.exists())
  }

  #find(): Inode | undefined {
    const { stage, lower: disk } = this.overlay
    if (this.#edits === stage.edits) return this.#inode
    const { node, lower, merged } = this.overlay.shownAt(this.path)
    this.#inode = node?.inode
    this.#mayGiveWay = this.#inode !== undefined && this.overlay.isUnchanged(this.path, this.#inode)
    if (lower !== this.#lower || this.#edits < 0) this.#name = lower === undefined ? undefined : disk.name(lower)
    this.#lower = lower
    // Whether the disk shows through a staged directory changes without an edit.
    this.#edits = merged === undefined || node?.inode ? stage.edits : -1
    return this.#inode
  }
}
