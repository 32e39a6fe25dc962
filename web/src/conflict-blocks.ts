import type { Choice } from './conflict.js'

/** A text with conflict markers, in parts. */
export type Block =
  | { readonly kind: 'same'; readonly text: string }
  | {
      readonly kind: 'both'
      readonly ours: string
      readonly theirs: string
      readonly ourName: string
      readonly theirName: string
    }

const BOTH = /^<{7} ([^\n]*)\n([^]*?)^={7}\r?\n([^]*?)^>{7} ([^\n]*)(?:\n|$)/gm

export function split(text: string): Block[] {
  const blocks: Block[] = []
  let at = 0
  for (const match of text.matchAll(BOTH)) {
    const [whole, ourName = '', ours = '', theirs = '', theirName = ''] = match
    if (match.index > at) blocks.push({ kind: 'same', text: text.slice(at, match.index) })
    blocks.push({ kind: 'both', ours, theirs, ourName: ourName.trim(), theirName: theirName.trim() })
    at = match.index + whole.length
  }
  if (at < text.length) blocks.push({ kind: 'same', text: text.slice(at) })
  return blocks
}

/** The text with each conflict as it was decided, by its place among the blocks. */
export function resolved(blocks: readonly Block[], chosen: Readonly<Record<number, Choice>>): string {
  return blocks
    .map((block, at) => {
      if (block.kind === 'same') return block.text
      const choice = chosen[at]
      return `${choice === 'theirs' ? '' : block.ours}${choice === 'ours' ? '' : block.theirs}`
    })
    .join('')
}
