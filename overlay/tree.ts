import { childOf, type RelPath, ROOT } from './path.js'
import type { Credit } from './stage-edit.js'
import type { Inode } from './upper.js'

/**
 * The segment trie that says where each path's content comes from. Where the trie has no node, the lower layer shows
 * through; a look-up stops at the first untouched segment, so its cost does not grow with what is staged elsewhere.
 */
export class TreeNode {
  children: Map<string, TreeNode> | undefined
  /** Staged content and attributes; undefined: the lower layer's. */
  inode: Inode | undefined
  /** The path is deleted. */
  whiteout = false
  /**
   * What of the lower layer shows here: undefined = the same name below what shows at the parent; a path = a redirect
   * (this was renamed from there); null = nothing (staged content, or an opaque directory).
   */
  lower: RelPath | null | undefined
  /** Who removed or renamed this; what was written is credited by its inode. */
  credit: Credit | undefined

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
  readonly root = new TreeNode()
  /** True once something of the lower layer was ever covered: deleted, renamed or made anew. */
  covers = false
  /** Rises when a directory may have gone or become something else; what is known of directories is stale then. */
  shape = 0

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
      if (!child) return { node: undefined, lower: shown(lower, plain, path, start, path.length) }
      if (child.whiteout) return { node: slash < 0 ? child : undefined, lower: undefined }
      if (child.lower === undefined) {
        if (!plain) lower = shown(lower, false, path, start, end)
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
  covering(path: RelPath): TreeNode | undefined {
    let node: TreeNode | undefined = this.root
    let found: TreeNode | undefined
    for (const segment of path.split('/')) {
      node = node.children?.get(segment)
      if (!node) break
      if (node.whiteout || node.lower !== undefined) found = node
    }
    return found
  }

  /** The node at a path, made (with bare nodes on the way) if it is not there. Whiteouts on the way are not crossed. */
  node(path: RelPath): TreeNode {
    let node = this.root
    if (path === '') return node
    for (const segment of path.split('/')) {
      node.children ??= new Map()
      let child = node.children.get(segment)
      if (!child) {
        child = new TreeNode()
        node.children.set(segment, child)
      }
      node = child
    }
    return node
  }

  /** Puts a node in a path's place (undefined: takes the place's node away) and drops ancestors left bare. */
  set(path: RelPath, node: TreeNode | undefined): void {
    const slash = path.lastIndexOf('/')
    const parent = this.node(path.slice(0, Math.max(slash, 0)) as RelPath)
    const name = path.slice(slash + 1)
    if (node) {
      parent.children ??= new Map()
      parent.children.set(name, node)
    } else {
      parent.children?.delete(name)
      this.#prune(path)
    }
  }

  /** The names of an inode, found by looking at every node: for the few that have another than the one at hand. */
  namesOf(inode: Inode, node: TreeNode = this.root, path = ROOT): RelPath[] {
    const below = [...(node.children ?? [])].flatMap(([name, child]) => this.namesOf(inode, child, childOf(path, name)))
    return node.inode === inode ? [path, ...below] : below
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
function shown(lower: string | undefined, plain: boolean, path: string, start: number, end: number) {
  if (plain) return path.slice(0, end) as RelPath
  if (lower === undefined) return undefined
  const rest = path.slice(start, end)
  return (lower === '' ? rest : `${lower}/${rest}`) as RelPath
}
