/** Parses conflict markers. This file imports nothing, because the page uses it too. */

/** A part of a text with conflict markers. */
export type Block =
  | { readonly kind: 'same'; readonly text: string }
  | {
      readonly kind: 'both'
      readonly ours: string
      readonly theirs: string
      readonly ourName: string
      readonly theirName: string
    }

/** The side to keep. */
export type Choice = 'ours' | 'theirs' | 'both'

/** Parses a text in one pass, line by line, because an agent wrote it. An unterminated conflict is plain text. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let same: string[] = []
  let open: { head: string; ours: string[]; middle?: string; theirs: string[] } | undefined
  const close = () => {
    if (open !== undefined)
      same.push(open.head, ...open.ours, ...(open.middle === undefined ? [] : [open.middle]), ...open.theirs)
    open = undefined
  }
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (line.startsWith('<<<<<<< ')) {
      close()
      open = { head: line, ours: [], theirs: [] }
    } else if (open === undefined) same.push(line)
    else if (open.middle === undefined) {
      if (/^={7}\r?\n?$/.test(line)) open.middle = line
      else open.ours.push(line)
    } else if (line.startsWith('>>>>>>> ')) {
      if (same.length > 0) blocks.push({ kind: 'same', text: same.join('') })
      same = []
      const names = { ourName: open.head.slice(8).trim(), theirName: line.slice(8).trim() }
      blocks.push({ kind: 'both', ours: open.ours.join(''), theirs: open.theirs.join(''), ...names })
      open = undefined
    } else open.theirs.push(line)
  }
  close()
  if (same.length > 0) blocks.push({ kind: 'same', text: same.join('') })
  return blocks
}

/** Joins the blocks with each conflict resolved. @param chosen choices by the index of the block */
export function resolveBlocks(blocks: readonly Block[], chosen: Readonly<Record<number, Choice>>): string {
  return blocks
    .map((block, at) => {
      if (block.kind === 'same') return block.text
      const choice = chosen[at]
      return `${choice === 'theirs' ? '' : block.ours}${choice === 'ours' ? '' : block.theirs}`
    })
    .join('')
}
