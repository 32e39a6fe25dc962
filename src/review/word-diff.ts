import { diffWordsWithSpace } from 'diff'

/** A part of a line, in UTF-16 units. The end is excluded. */
export interface TextSpan {
  readonly from: number
  readonly to: number
}

/** Limits of a comparison. Beyond them it costs more than it shows. */
const LINE_LIMIT = 1_000
const RUN_LIMIT = 100
/** The limit of inserted and deleted words of one line. The cost grows with its square, and an agent may write two thousand such lines. */
const EDIT_LIMIT = 60
/** The largest marked share of a line. In a line that is mostly new, marks show nothing. */
const MOSTLY = 0.7

/**
 * Finds the changed words in lines of a hunk that were replaced by as many others. Returns the spans for each line of its text, in which the
 * mark (`+`, `-`) is unit 0. Other lines, long ones and mostly new ones have none. No time limit decides, so the result is deterministic.
 * @param text a hunk's, in unified form, its `@@` line included.
 */
export function wordDiff(text: string): readonly (readonly TextSpan[])[] {
  const lines = text.split('\n').slice(0, -1)
  const spans: (readonly TextSpan[])[] = lines.map(() => [])
  for (const { removed, added, count } of replacements(lines)) {
    for (let each = 0; each < count; each++) {
      const pair = comparedLines(lines[removed + each] ?? '', lines[added + each] ?? '')
      spans[removed + each] = pair.old
      spans[added + each] = pair.new
    }
  }
  return spans
}

/** The starts of runs of `-` lines that as many `+` lines follow. */
function* replacements(lines: readonly string[]): Generator<{ removed: number; added: number; count: number }> {
  for (let at = 1; at < lines.length; ) {
    const removed = at
    while (lines[at]?.startsWith('-')) at++
    const count = at - removed
    // Git's note on a missing final newline comes between the two.
    if (lines[at]?.startsWith('\\')) at++
    const added = at
    while (lines[at]?.startsWith('+')) at++
    if (count > 0 && count <= RUN_LIMIT && at - added === count) yield { removed, added, count }
    if (at === removed) at++
  }
}

function comparedLines(removed: string, added: string): { old: TextSpan[]; new: TextSpan[] } {
  const none = { old: [], new: [] }
  if (removed.length > LINE_LIMIT || added.length > LINE_LIMIT) return none
  const spans: { old: TextSpan[]; new: TextSpan[] } = { old: [], new: [] }
  const at = { old: 1, new: 1 }
  const parts = diffWordsWithSpace(removed.slice(1), added.slice(1), { maxEditLength: EDIT_LIMIT })
  for (const part of parts ?? []) {
    const length = part.value.length
    if (!part.added) at.old = put(spans.old, at.old, length, part.removed)
    if (!part.removed) at.new = put(spans.new, at.new, length, part.added)
  }
  return isMostly(spans.old, removed) && isMostly(spans.new, added) ? none : spans
}

function put(spans: TextSpan[], from: number, length: number, changed: boolean): number {
  if (changed && length > 0) spans.push({ from, to: from + length })
  return from + length
}

function isMostly(spans: readonly TextSpan[], line: string): boolean {
  const changed = spans.reduce((sum, { from, to }) => sum + to - from, 0)
  return changed > MOSTLY * (line.length - 1)
}
