import type { TreeNode } from './tree.js'
import type { Inode } from './upper.js'

/** Returns the size in bytes of the content staged below a node. Counts each file once, and no snapshots. */
export function stagedBytes(root: TreeNode): number {
  const seen = new Set<Inode>()
  const waiting = [root]
  let sum = 0
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.inode?.type === 'file' && !seen.has(node.inode)) {
      seen.add(node.inode)
      sum += node.inode.size
    }
    if (node.children) for (const child of node.children.values()) waiting.push(child)
  }
  return sum
}
