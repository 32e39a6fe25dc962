import { sameAuthor } from './births.js'
import { blockOf, closes } from './block-ends.js'
import { printOf, weightOf } from './line-prints.js'
import type { Origin } from './origins.js'
import { UNKNOWN } from './traced-files.js'

/**
 * Corrects the authors of block ends, once all other lines have an author. A bracket has no text of its own, so any
 * diff may have taken the end of one block for that of another.
 */

export const AMBIGUOUS: Origin = { contributor: 'unknown', why: 'several authors wrote such a line' }

/**
 * Compares each end of a block with the lines of its block. An end of a known author stays only if that author wrote another line of
 * the block, and the block began with a known author. An ambiguous one has the author of its block, if that is one.
 */
export function resolveStrayEnds(lines: readonly string[], origins: readonly Origin[]): Origin[] {
  return origins.map((origin, line) => {
    const opener = blockOf(lines, line)
    if (opener === undefined || opener === line) return origin
    const end = lines[line]?.trim() === '' ? line - 1 : line
    const block = origins.slice(opener, end).filter((_, at) => weightOf(printOf(lines[opener + at] ?? '')) > 0)
    const [first] = block
    if (first === undefined || !closes(lines[opener] ?? '', lines[end] ?? '')) return origin
    if (origin === AMBIGUOUS) return block.every((each) => sameAuthor(each, first)) ? first : origin
    // An empty line below a bracket of another author may belong to the lines below.
    const isOfBlock = end === line || sameAuthor(origins[end] ?? UNKNOWN, origin)
    return isStray(origin, block, isOfBlock) ? AMBIGUOUS : origin
  })
}

/**
 * Whether the end of a block comes from another block, or from the record that changed only the last line of this block
 * and moved the end.
 */
function isStray(origin: Origin, block: readonly Origin[], isOfBlock: boolean): boolean {
  if (origin.contributor === 'unknown') return false
  const [opener = UNKNOWN, last] = [block[0], block.at(-1)]
  const isOfLast = origin.recordId !== undefined && last?.recordId === origin.recordId
  if (isOfLast && !sameAuthor(origin, opener)) return true
  if (!isOfBlock) return false
  // The end of a block that is older than the ledger is also older than the ledger.
  if (opener.contributor === 'unknown') return true
  return !block.some((each) => sameAuthor(each, origin))
}
