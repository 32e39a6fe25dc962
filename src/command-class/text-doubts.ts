import type { Node, Syntax } from '../os/tree.js'

/** Characters that shells and the grammar may read differently: unusual blanks, and control characters. */
function hasUnusualCharacter(text: string): boolean {
  return (
    /[^\S \t\n]/.test(text) ||
    [...text].some((char) => char < ' ' && char !== '\t' && char !== '\n') ||
    text.includes('\u007f')
  )
}

/** Nodes that own the text between their children. */
const ATOMIC = new Set(['string', 'heredoc_body', 'heredoc_redirect'])

/** Why a shell may read the text differently from the parsed tree; undefined if it does not. */
export function parseDoubt(syntax: Syntax): string | undefined {
  if (hasUnusualCharacter(syntax.text)) return 'has characters that shells read differently'
  // The grammar ends the word at the line end, but a shell continues it.
  if (/\S\\\n\S/.test(syntax.text)) return 'has a word that goes on in the next line'
  // The grammar joins such a line to the one before.
  if (/\n[ \t]*\\[^\n]/.test(syntax.text)) return 'has a line that begins with a backslash'
  return isCovered(syntax, syntax.root) ? undefined : 'has parts the grammar does not account for'
}

/** Whether every character but blanks belongs to a leaf of the tree. */
function isCovered(syntax: Syntax, root: Node): boolean {
  const open: Node[] = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const whole = ATOMIC.has(node.type)
    let at = node === root ? 0 : node.start
    const end = node === root ? syntax.text.length : node.end
    for (const child of node.children) {
      if (!whole && !isBlank(syntax.text.slice(at, child.start))) return false
      at = Math.max(at, child.end)
      open.push(child)
    }
    if (node.children.length > 0 && !whole && !isBlank(syntax.text.slice(at, end))) return false
  }
  return true
}

function isBlank(text: string): boolean {
  return /^(?:[ \t\n]|\\\n)*$/.test(text)
}
