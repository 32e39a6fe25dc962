import type { BigIntStats, Stats } from 'node:fs'
import { codeOf, Errno } from './errno.js'
import type { Entry, EntryType, ReadLayer } from './layer.js'
import type { Lower } from './lower.js'
import { childOf, type RelPath, ROOT } from './path.js'
import type { Stage } from './stage.js'
import { bigStatsOf, statsOf } from './stats.js'
import type { Place, TreeNode } from './tree.js'
import type { Inode } from './upper.js'

/** The reading half of the merged view: the stage if it has an entry, else the lower layer. */
export class MergedView implements ReadLayer {
  /** The device number of staged entries: the lower layer's. */
  readonly dev: number

  constructor(
    readonly lower: Lower,
    readonly stage: Stage,
  ) {
    this.dev = lower.lstat(ROOT)?.dev ?? 0
  }

  typeOf(path: RelPath): EntryType | undefined {
    return this.typeAt(this.#readable(path))
  }

  lstat(path: RelPath): Stats | undefined {
    const place = this.#readable(path)
    if (place.node?.inode) return statsOf(place.node.inode, this.dev)
    if (place.lower === undefined) return undefined
    return this.stage.directoryTimes.withTimes(path, this.lower.lstat(place.lower))
  }

  lstatBig(path: RelPath): BigIntStats | undefined {
    const place = this.#readable(path)
    if (place.node?.inode) return bigStatsOf(place.node.inode, this.dev)
    if (place.lower === undefined) return undefined
    return this.stage.directoryTimes.withTimes(path, this.lower.lstatBig(place.lower))
  }

  read(path: RelPath): Buffer {
    const place = this.#readable(path)
    if (place.node?.inode) return contentOf(place.node.inode)
    if (place.lower === undefined) throw new Errno('ENOENT')
    return this.lower.read(place.lower)
  }

  readlink(path: RelPath): string {
    const place = this.#readable(path)
    const inode = place.node?.inode
    if (inode) {
      if (inode.type !== 'symlink') throw new Errno('EINVAL')
      return inode.target
    }
    if (place.lower === undefined) throw new Errno('ENOENT')
    return this.lower.readlink(place.lower)
  }

  readdir(path: RelPath): Entry[] {
    const place = this.shownAt(path)
    const type = this.typeAt(place)
    if (type === undefined) throw new Errno('ENOENT')
    if (type !== 'dir') throw new Errno('ENOTDIR')
    const children = place.node?.children
    const below = this.#lowerEntries(place)
    if (!children?.size) return below
    const merged = new Map(below.map((entry) => [entry.name, entry]))
    for (const name of children.keys()) {
      const childType = this.typeOf(childOf(path, name))
      if (childType === undefined) merged.delete(name)
      else merged.set(name, { name, type: childType })
    }
    return [...merged.values()].sort(byName)
  }

  names(path: RelPath): string[] {
    const { node, lower } = this.shownAt(path)
    if (lower === undefined || node?.inode) return this.readdir(path).map(({ name }) => name)
    const below = this.lower.names(lower)
    return node?.children?.size ? this.#mergedNames(below, path, node.children) : below
  }

  exists(path: RelPath): boolean | undefined {
    const { node, lower } = this.#readable(path)
    if (node?.inode) return node.inode.type === 'symlink' ? undefined : true
    if (lower === undefined) return false
    return this.existsLower(lower, this.lower.exists(lower))
  }

  /** Returns the result of {@link exists} for a name on disk. @param found whether it, or its link's target, exists there */
  existsLower(lower: RelPath, found: boolean): boolean | undefined {
    const { tree } = this.stage
    // The target of a link on disk may be staged or hidden. Only then does it matter whether the name is a link.
    if (tree.empty || (found ? !tree.covers : this.lower.typeOf(lower) !== 'symlink')) return found
    return this.lower.typeOf(lower) === 'symlink' ? undefined : found
  }

  /** Returns the other hard links that were staged to a path's file, which show its writes too. */
  otherNames(path: RelPath): RelPath[] {
    const inode = this.placeOf(path).node?.inode
    if (!inode || inode.type === 'dir' || inode.names <= 1) return []
    return this.stage.tree.namesOf(inode).filter((name) => name !== path)
  }

  /** Returns the place of a path in both layers, according to the stage. */
  placeOf(path: RelPath): Place {
    return this.stage.tree.find(path)
  }

  /**
   * As {@link placeOf}, for a reader of the disk: `lower` is undefined at and below a staged directory whose name on disk
   * is not a directory. A link there would lead the reader to another place.
   */
  shownAt(path: RelPath): Place {
    return this.#shown(this.stage.tree.find(path))
  }

  /** As {@link shownAt}, but does not read the disk if there is a staged entry. */
  #readable(path: RelPath): Place {
    const place = this.stage.tree.find(path)
    return place.node?.inode ? place : this.#shown(place)
  }

  #shown(place: Place): Place {
    const { node, lower, merged } = place
    // A staged file or link is never read from the disk.
    const isStaged = node?.inode !== undefined && node.inode.type !== 'dir'
    if (lower === undefined || merged === undefined || isStaged) return place
    return merged.every((dir) => this.lower.typeOf(dir) === 'dir') ? place : { node, lower: undefined, merged }
  }

  protected typeAt(place: Place): EntryType | undefined {
    if (place.node?.inode) return place.node.inode.type
    if (place.node?.whiteout || place.lower === undefined) return undefined
    return this.lower.typeOf(place.lower)
  }

  /** Without the types, which cost more than the names. */
  #mergedNames(below: string[], path: RelPath, children: Iterable<readonly [string, TreeNode]>): string[] {
    const gone = new Set<string>()
    const staged: string[] = []
    for (const [name, child] of children) {
      // A node without an entry of its own leaves the name to the disk.
      if (!child.inode && !child.whiteout && child.lower === undefined) continue
      gone.add(name)
      if (child.inode || this.typeOf(childOf(path, name)) !== undefined) staged.push(name)
    }
    const order = ASCII.test(below.join('')) && ASCII.test(staged.join('')) ? asciiOrder : nameOrder
    return inOrder(
      below.filter((name) => !gone.has(name)),
      staged.sort(order),
      order,
    )
  }

  #lowerEntries({ node, lower }: Place): Entry[] {
    if (lower === undefined) return []
    try {
      return this.lower.readdir(lower)
    } catch (error) {
      // It was removed since the check. A staged directory is still there.
      if (node?.inode && ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return []
      throw error
    }
  }
}

/** Returns a copy of a staged file's content. Throws EISDIR, ELOOP. */
export function contentOf(inode: Inode): Buffer {
  if (inode.type === 'dir') throw new Errno('EISDIR', 'read', true)
  if (inode.type === 'symlink') throw new Errno('ELOOP')
  return inode.bytes()
}

const ASCII = /^[\x00-\x7f]*$/

/** strcmp on UTF-8, the order of Node's readdir. JavaScript's order differs only beyond ASCII. */
function nameOrder(a: string, b: string): number {
  if (ASCII.test(a) && ASCII.test(b)) return asciiOrder(a, b)
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function asciiOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function byName({ name: a }: Entry, { name: b }: Entry): number {
  return nameOrder(a, b)
}

/** Merges two sorted lists. */
function inOrder(a: readonly string[], b: readonly string[], order: typeof nameOrder): string[] {
  const all: string[] = []
  let next = 0
  for (const name of a) {
    for (let other = b[next]; other !== undefined && order(other, name) < 0; other = b[++next]) all.push(other)
    all.push(name)
  }
  return [...all, ...b.slice(next)]
}
