import { ancestorsOf, childOf, type RelPath, ROOT } from './path.js'
import { type Owner, SharedMap } from './shared-map.js'
import type { Attribution } from './stage-edit.js'
import type { Inode } from './upper.js'

/**
 * The segment trie that gives the source of each path's content. If the trie has no node, the lower layer shows
 * through. A lookup stops at the first unedited segment, so its cost does not grow with other staged paths.
 *
 * A snapshot is a root: from then on nodes, and those above them, are copied before they change (path copying). So
 * creating and restoring a snapshot is free, and lookups are not affected.
 */
export class TreeNode {
  children: SharedMap<TreeNode> | undefined
  /** Staged content and attributes; undefined: the lower layer's. */
  inode: Inode | undefined
  /** Whether the path is deleted. */
  whiteout = false
  /**
   * The lower path that shows here: undefined = the same name below the parent's lower path; a path = a redirect (this
   * was renamed from there); null = nothing (staged content, or an opaque directory).
   */
  lower: RelPath | null | undefined
  /** The author of its removal or rename with everything in it. Contents have their author in the inode. */
  credit: Attribution | undefined
  /** The number of that edit. The later author counts. */
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

/** The result of a lookup. `lower` is the lower path that shows there, undefined when none does. */
export interface Place {
  readonly node: TreeNode | undefined
  readonly lower: RelPath | undefined
  /**
   * The lower paths that are directories in the stage: those of the staged directories along the path, including its
   * own, and after a rename those of the old name. The disk may have a link there, so entries below one are visible only
   * if the disk also has a directory.
   */
  readonly merged?: readonly RelPath[]
}

export class Tree {
  #owner: Owner = {}
  #root = new TreeNode(this.#owner)
  /** Whether any lower name was ever covered: deleted, renamed or replaced. */
  covers = false
  /** Rises when a directory may have been removed or replaced, which invalidates cached directories. */
  shape = 0

  get root(): TreeNode {
    return this.#root
  }

  /** The owner token of nodes and inodes that may be changed in place. */
  get owner(): Owner {
    return this.#owner
  }

  /** Leaves the present nodes to the caller as a frozen root: from now on they are copied before they change. */
  freeze(): TreeNode {
    this.#owner = {}
    return this.#root
  }

  /** Restores a frozen root. */
  restore(root: TreeNode): void {
    this.#owner = {}
    this.#root = root
    this.shape++
  }

  /** Whether nothing is staged. */
  get empty(): boolean {
    return !this.root.children?.size && !this.root.inode
  }

  find(path: RelPath): Place {
    let node = this.root
    // Before the first redirect the lower path is the path itself, and no string is built.
    let lower: string | undefined = ''
    let plain = true
    let start = 0
    let merged: RelPath[] | undefined
    if (path === '') return { node, lower: '' as RelPath }
    for (;;) {
      const slash = path.indexOf('/', start)
      const end = slash < 0 ? path.length : slash
      const child = node.children?.get(path.slice(start, end))
      if (!child) return placed(undefined, lowerPath(lower, plain, path, start, path.length), merged)
      if (child.whiteout) return { node: slash < 0 ? child : undefined, lower: undefined }
      if (child.lower === undefined) {
        if (!plain) lower = lowerPath(lower, false, path, start, end)
      } else {
        plain = false
        lower = child.lower ?? undefined
      }
      // A redirect leads elsewhere, whatever the disk has on the way here.
      if (child.lower !== undefined) merged = typeof child.lower === 'string' ? ancestorsOf(child.lower) : undefined
      if (isMerged(child, slash < 0)) {
        const at = plain ? (path.slice(0, end) as RelPath) : (lower as RelPath | undefined)
        if (at !== undefined) merged = [...(merged ?? []), at]
      }
      if (slash < 0) return placed(child, plain ? path : (lower as RelPath | undefined), merged)
      node = child
      start = end + 1
    }
  }

  /** Returns the deepest node on a path that was removed, renamed, or replaced another entry. */
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

  /** Returns the nodes on a path that have an author of their removal or rename, oldest first. */
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
   * Returns the node at a path, for a change. Copies it, and those above it, if a snapshot has it too. Creates it, with
   * empty nodes above it, if it does not exist. Does not cross whiteouts.
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

  /** Replaces a path's node (undefined: removes it) and drops empty ancestors. */
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

  /** Returns the names of an inode (of any version of it). Searches every node, for the few inodes that may have several. */
  namesOf({ ino }: Inode): RelPath[] {
    return namesWhere(this.root, ROOT, (inode) => inode.ino === ino)
  }

  /** Returns the names of entries that were copied up from a lower path. */
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

/** Whether a node shows that a directory is there, so that nothing checks the type of its lower path. */
function isMerged(node: TreeNode, isLast: boolean): boolean {
  return node.inode?.type === 'dir' || (!isLast && typeof node.lower === 'string')
}

function placed(node: TreeNode | undefined, lower: RelPath | undefined, merged: RelPath[] | undefined): Place {
  return merged === undefined ? { node, lower } : { node, lower, merged }
}

/** The lower path of a path whose last segments have no node. */
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

/** Returns the paths of a node and of everything below it, the deepest first. */
export function pathsOf(node: TreeNode, path: RelPath): RelPath[] {
  const below = [...(node.children ?? [])].flatMap(([name, child]) => pathsOf(child, childOf(path, name)))
  return path === '' ? below : [...below, path]
}

/** Returns the paths on disk that an edit is based on: its own name, and after a rename the source of its content. */
export function restsOn(path: RelPath, place: Place): RelPath[] {
  return place.lower === undefined || place.lower === path ? [path] : [path, place.lower]
}
