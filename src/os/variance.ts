import type { Node } from '@vscode/tree-sitter-wasm'

/**
 * True if the only errors of a TypeScript tree are `in` and `out` on type parameters (`interface Box<out T>`, TypeScript 4.7). The
 * grammar does not know them. It reads either the modifier as an error, or the modifier as the name and the name as an error.
 */
export function hasOnlyVarianceErrors(root: Node, text: string): boolean {
  const open = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.isMissing || (node.isError && !isVariance(node, text))) return false
    if (!node.isError) open.push(...node.children.flatMap((child) => (child?.hasError === true ? [child] : [])))
  }
  return true
}

function isVariance(error: Node, text: string): boolean {
  const inParameters = error.parent?.type === 'type_parameters' || error.parent?.type === 'type_parameter'
  const isModifier = /^(?:in|out)$/.test(error.text)
  const isName =
    /^[\w$]+$/.test(error.text) && /[<,\s](?:in|out)\s+$/.test(text.slice(0, error.startIndex).slice(-LONGEST))
  return inParameters && (isModifier || isName)
}

/** Characters looked at before a name: a modifier and the spaces around it. */
const LONGEST = 80
