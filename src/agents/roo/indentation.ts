export interface BlockOptions {
  /** The line the block is built around, from 1. */
  readonly anchor: number
  /** How many enclosing levels of indentation to show; 0 is all of them. */
  readonly levels: number
  /** Also the blocks beside the outermost one. */
  readonly siblings: boolean
  readonly limit: number
}

/** What one level is worth where lines are indented by spaces; a tab counts as much. */
const LEVEL = 4

type Indents = readonly (number | undefined)[]

/**
 * The block of code a line stands in, told by indentation: from the head of the outermost level shown to its closing
 * line. Where that is more than `limit` lines, those nearest to the anchor.
 * @returns the first and last line, from 1.
 */
export function blockAround(lines: readonly string[], options: BlockOptions): readonly [number, number] {
  const indents = lines.map(indentOf)
  const anchor = Math.min(lines.length, Math.max(1, options.anchor)) - 1
  const own = indents[anchor] ?? indents.slice(0, anchor).findLast((indent) => indent !== undefined) ?? 0
  const least = options.levels === 0 ? 0 : Math.max(0, own - options.levels * LEVEL)
  const first = options.siblings || own > least ? reachUp(indents, anchor, least, options.siblings) : anchor
  const last = reachDown(lines, indents, anchor, least, options.siblings)
  const room = Math.max(0, options.limit - 1)
  const above = Math.min(anchor - first, Math.max(Math.floor(room / 2), room - (last - anchor)))
  return [anchor - above + 1, Math.min(last, anchor + room - above) + 1]
}

/** The head of the block: the first line above that is indented as little as `least`. */
function reachUp(indents: Indents, anchor: number, least: number, siblings: boolean): number {
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

/** The line that closes the block, or its last one where nothing does. */
function reachDown(
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

/** Undefined for a blank line, which belongs to whatever is around it. */
function indentOf(line: string): number | undefined {
  if (line.trim() === '') return undefined
  const white = /^[\t ]*/.exec(line)?.[0] ?? ''
  return [...white].reduce((sum, char) => sum + (char === '\t' ? LEVEL : 1), 0)
}
