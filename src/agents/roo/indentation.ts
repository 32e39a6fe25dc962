export interface BlockOptions {
  /** The line in the block, from 1. */
  readonly anchor: number
  /** How many enclosing levels of indentation to show; 0 for all. */
  readonly levels: number
  /** Whether to include the blocks next to the outermost one. */
  readonly siblings: boolean
  readonly limit: number
}

/** The width of a level in spaces, and of a tab. */
const LEVEL = 4

type Indents = readonly (number | undefined)[]

/**
 * Finds the block of code around a line by indentation: from the head of the outermost shown level to its closing line. If it is
 * longer than `limit`, the lines nearest to the anchor.
 * @returns the first and last line, from 1.
 */
export function blockAround(lines: readonly string[], options: BlockOptions): readonly [number, number] {
  const indents = lines.map(indentOf)
  const anchor = Math.min(lines.length, Math.max(1, options.anchor)) - 1
  const own = indents[anchor] ?? indents.slice(0, anchor).findLast((indent) => indent !== undefined) ?? 0
  const minIndent = options.levels === 0 ? 0 : Math.max(0, own - options.levels * LEVEL)
  const first =
    options.siblings || own > minIndent ? findFirstLine(indents, anchor, minIndent, options.siblings) : anchor
  const last = findLastLine(lines, indents, anchor, minIndent, options.siblings)
  const remaining = Math.max(0, options.limit - 1)
  const above = Math.min(anchor - first, Math.max(Math.floor(remaining / 2), remaining - (last - anchor)))
  return [anchor - above + 1, Math.min(last, anchor + remaining - above) + 1]
}

/** The head of the block: the first line above with an indentation of at most `minIndent`. */
function findFirstLine(indents: Indents, anchor: number, least: number, siblings: boolean): number {
  let first = anchor
  for (let at = anchor - 1; at >= 0; at--) {
    const indent = indents[at]
    if (indent === undefined) continue
    if (indent < least) break
    first = at
    if (indent === least && !siblings) break
  }
  return first
}

/** The line that closes the block, else its last line. */
function findLastLine(
  lines: readonly string[],
  indents: Indents,
  anchor: number,
  least: number,
  siblings: boolean,
): number {
  let last = anchor
  for (let at = anchor + 1; at < lines.length; at++) {
    const indent = indents[at]
    if (indent === undefined) continue
    if (indent < least) break
    const outermost = indent === least && !siblings
    if (!outermost || /^\s*[\])}]/.test(lines[at] ?? '')) last = at
    if (outermost) break
  }
  return last
}

/** Undefined for a blank line, which belongs to the lines around it. */
function indentOf(line: string): number | undefined {
  if (line.trim() === '') return undefined
  const white = /^[\t ]*/.exec(line)?.[0] ?? ''
  return [...white].reduce((sum, char) => sum + (char === '\t' ? LEVEL : 1), 0)
}
