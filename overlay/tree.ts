import { childOf, type RelPath, ROOT } from './path.js'
import { type Owner, SharedMap } from './shared-map.js'
import type { Attribution } from './stage-edit.js'
import type { Inode } from './upper.js'

/**
 * The segment trie that says where each path's content comes from. Where the trie has no node, the lower layer shows
 * through; a look-up stops at the first untouched segment, so its cost does not grow with what is staged elsewhere.
 *
 * A snapshot is a root: from then on nodes are copied before they change, those above them too (path copying). So it
 * costs nothing to take, nothing to go back to, and a look-up never knows of it.
 */
export class TreeNode {
  children: SharedMap<TreeNode> | undefined
  /** Staged content and attributes; undefined: the lower layer's. */
  inode: Inode | undefined
  /** The path is deleted. */
  whiteout = false
  /**
   * What of the lower layer shows here: undefined = the same name below what shows at the parent; a path = a redirect
   * (this was renamed from there); null = nothing (staged content, or an opaque directory).
   */
  lower: RelPath | null | undefined
  /** Who removed or renamed this, with all that was in it; what was written is credited by its inode. */
  credit: Attribution | undefined
  /** The number of the edit it was credited by: the later one counts. */
  creditedAt = 0

  constructor(readonly owner: Owner) {}

  copy(owner: Owner): TreeNode {
    const copy = new TreeNode(owner)
    copy.children = this.children?.fork(owner)
    copy.inode = this.inode
    copy.whiteout = this.whiteout
    copy.lower = this.lower
    copy.credit = this.credit
    copy.creditedAt = this.creditedAt
    return copy
  }

  get bare(): boolean {
    return !this.whiteout && !this.inode && this.lower === undefined && !this.children?.size
  }
}

/** Where a look-up ended. `lower` is the lower path that shows at the place, undefined when none does. */
export interface Place {
  readonly node: TreeNode | undefined
  readonly lower: RelPath | undefined
}

export class Tree {
  #owner: Owner = {}
  #root = new TreeNode(this.#owner)
  /** True once something of the lower layer was ever covered: deleted, renamed or made anew. */
  covers = false
  /** Rises when a directory may have gone or become something else; what is known of directories is stale then. */
  shape = 0

  get root(): TreeNode {
    return this.#root
  }

  /** What nodes and inodes that may be changed in place belong to. */
  get owner(): Owner {
    return this.#owner
  }

  /** Leaves the present nodes to whoever holds the root: from now on they are copied before they change. */
  freeze(): TreeNode {
    this.#owner = {}
    return this.#root
  }

  /** Goes back to a root that was frozen. */
  restore(root: TreeNode): void {
    this.#owner = {}
    this.#root = root
    this.shape++
  }

  /** True while nothing is staged at all. */
  get empty(): boolean {
    return !this.root.children?.size && !this.root.inode
  }

  find(path: RelPath): Place {
    let node = this.root
    // While no redirect was met the lower path is the path itself, and no string is built.
    let lower: string | undefined = ''
    let plain = true
    let start = 0
    if (path === '') return { node, lower: '' as RelPath }
    for (;;) {
      const slash = path.indexOf('/', start)
      const end = slash < 0 ? path.length : slash
      const child = node.children?.get(path.slice(start, end))
      if (!child) return { node: undefined, lower: lowerPath(lower, plain, path, start, path.length) }
      if (child.whiteout) return { node: slash < 0 ? child : undefined, lower: undefined }
      if (child.lower === undefined) {
        if (!plain) lower = lowerPath(lower, false, path, start, end)
      } else {
        plain = false
        lower = child.lower ?? undefined
      }
      if (slash < 0) return { node: child, lower: plain ? path : (lower as RelPath | undefined) }
      node = child
      start = end + 1
    }
  }

  /** The deepest node on the way to a path that was removed or renamed, or made in the place of something. */
  coveringNode(path: RelPath): TreeNode | undefined {
    let node: TreeNode | undefined = this.root
    let found: TreeNode | undefined
    for (const segment of path.split('/')) {
      node = node.children?.get(segment)
      if (!node) break
      if (node.whiteout || node.lower !== undefined) found = node
    }
    return found
  }

  /** The nodes on the way to a path that were renamed or removed by someone, the earliest first. */
  creditedOn(path: RelPath): TreeNode[] {
    const credited: TreeNode[] = []
    let node: TreeNode | undefined = this.root
    for (const segment of path.split('/')) {
      node = node.children?.get(segment)
      if (!node) break
      if (node.credit) credited.push(node)
    }
    return credited.sort((a, b) => a.creditedAt - b.creditedAt)
  }

  /**
   * The node at a path, to be changed: copied, with those above it, where a snapshot has it too, and made (with bare
   * nodes on the way) if it is not there. Whiteouts on the way are not crossed.
   */
  own(path: RelPath): TreeNode {
    let node = this.#ours(this.#root)
    this.#root = node
    if (path === '') return node
    for (let start = 0; ; ) {
      const slash = path.indexOf('/', start)
      const segment = path.slice(start, slash < 0 ? path.length : slash)
      node.children ??= new SharedMap(this.#owner)
      const known = node.children.get(segment)
      const child = known ? this.#ours(known) : new TreeNode(this.#owner)
      if (child !== known) node.children.set(segment, child)
      node = child
      if (slash < 0) return node
      start = slash + 1
    }
  }

  #ours(node: TreeNode): TreeNode {
    return node.owner === this.#owner ? node : node.copy(this.#owner)
  }

  /** Puts a node in a path's place (undefined: takes the place's node away) and drops ancestors left bare. */
  set(path: RelPath, node: TreeNode | undefined): void {
    const slash = path.lastIndexOf('/')
    const parent = this.own(path.slice(0, Math.max(slash, 0)) as RelPath)
    const name = path.slice(slash + 1)
    if (node) {
      parent.children ??= new SharedMap(this.#owner)
      parent.children.set(name, node)
    } else {
      parent.children?.delete(name)
      this.#prune(path)
    }
  }

  /** The names of an inode (of any version of it), found by looking at every node: for the few that may have others. */
  namesOf({ ino }: Inode): RelPath[] {
    return namesWhere(this.root, ROOT, (inode) => inode.ino === ino)
  }

  /** The names of what was copied up from a lower path. */
  copiesOf(lower: RelPath): RelPath[] {
    return namesWhere(this.root, ROOT, (inode) => inode.origin === lower)
  }

  #prune(path: RelPath): void {
    const segments = path.split('/')
    const chain: TreeNode[] = [this.root]
    for (const segment of segments.slice(0, -1)) {
      const child = chain.at(-1)?.children?.get(segment)
      if (!child) break
      chain.push(child)
    }
    for (let i = chain.length - 1; i > 0; i--) {
      if (!chain[i]?.bare) return
      chain[i - 1]?.children?.delete(segments[i - 1] ?? '')
    }
  }
}

/** The lower path for the rest of a path that the trie has no node for. */
function lowerPath(lower: string | undefined, plain: boolean, path: string, start: number, end: number) {
  if (plain) return path.slice(0, end) as RelPath
  if (lower === undefined) return undefined
  const rest = path.slice(start, end)
  return (lower === '' ? rest : `${lower}/${rest}`) as RelPath
}

function namesWhere(node: TreeNode, path: RelPath, fits: (inode: Inode) => boolean): RelPath[] {
  const below = [...(node.children ?? [])].flatMap(([name, child]) => namesWhere(child, childOf(path, name), fits))
  return node.inode && fits(node.inode) ? [path, ...below] : below
}

/** Paths of a node and of all below it, the deepest first. */
export function pathsOf(node: TreeNode, path: RelPath): RelPath[] {
  const below = [...(node.children ?? [])].flatMap(([name, child]) => pathsOf(child, childOf(path, name)))
  return path === '' ? below : [...below, path]
}

/** The paths on disk an edit of a place rests on: its own name, and where its content comes from after a rename. */
export function restsOn(path: RelPath, place: Place): RelPath[] {
  return place.lower === undefined || place.lower === path ? [path] : [path, place.lower]
}
