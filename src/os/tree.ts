import type { Tree, TreeCursor } from '@vscode/tree-sitter-wasm'

/** One node of a syntax tree, copied from the parser's memory. Offsets count UTF-16 units of {@link Syntax.text}. */
export interface Node {
  readonly type: string
  /** False for punctuation and keywords. */
  readonly named: boolean
  readonly field: string | null
  readonly start: number
  readonly end: number
  readonly parent: Node | undefined
  readonly children: readonly Node[]
}

export interface Syntax {
  readonly text: string
  readonly root: Node
  /** The number of nodes, which is the main cost of copying and comparing. */
  readonly nodes: number
}

/** Thrown for a tree beyond the limits. */
class TreeTooLarge extends Error {
  override readonly name = 'TreeTooLarge'
}

const MAX_NODES = 250_000
/** The comparisons recurse. The stack holds many times this depth. */
const MAX_DEPTH = 600

interface Open extends Node {
  readonly children: Node[]
}

/**
 * Copies a parsed tree, without recursion.
 * @param skips returns true for a node whose descendants are not wanted
 * @throws TreeTooLarge above 250,000 nodes or 600 levels
 */
export function copyTree(tree: Tree, text: string, skips: (node: Node) => boolean = () => false): Syntax {
  const cursor = tree.walk()
  try {
    const root = nodeAt(cursor, undefined)
    const open = [root]
    let count = 1
    let descending = cursor.gotoFirstChild()
    while (open.length > 0) {
      const parent = open.at(-1)
      if (parent === undefined) break
      if (!descending) {
        open.pop()
        cursor.gotoParent()
        descending = open.length > 0 && cursor.gotoNextSibling()
        continue
      }
      const node = nodeAt(cursor, parent)
      parent.children.push(node)
      if (++count > MAX_NODES) throw new TreeTooLarge(`more than ${MAX_NODES} nodes`)
      if (!skips(node) && cursor.gotoFirstChild()) {
        open.push(node)
        if (open.length > MAX_DEPTH) throw new TreeTooLarge(`more than ${MAX_DEPTH} levels`)
      } else {
        descending = cursor.gotoNextSibling()
      }
    }
    return { text, root, nodes: count }
  } finally {
    cursor.delete()
  }
}

function nodeAt(cursor: TreeCursor, parent: Node | undefined): Open {
  return {
    type: cursor.nodeType,
    named: cursor.nodeIsNamed,
    field: cursor.currentFieldName,
    start: cursor.startIndex,
    end: cursor.endIndex,
    parent,
    children: [],
  }
}

/** Returns the node and all its descendants, in preorder. */
export function* walk(node: Node): Generator<Node> {
  const open = [node]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next
    for (let at = next.children.length - 1; at >= 0; at--) {
      const child = next.children[at]
      if (child !== undefined) open.push(child)
    }
  }
}

export function textOf({ text }: Syntax, node: Node): string {
  return text.slice(node.start, node.end)
}

export function childOf(node: Node, field: string): Node | undefined {
  return node.children.find((child) => child.field === field)
}

/** Returns the nearest ancestor of one of these types. */
export function ancestor(node: Node, types: ReadonlySet<string>): Node | undefined {
  let at = node.parent
  while (at !== undefined && !types.has(at.type)) at = at.parent
  return at
}

export function isWithin(node: Node, outer: Node): boolean {
  return node.start >= outer.start && node.end <= outer.end
}
