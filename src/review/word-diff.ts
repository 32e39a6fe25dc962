import { diffWordsWithSpace } from 'diff'

/** A part of a line: from this UTF-16 unit, up to and without that one. */
export interface TextSpan {
  readonly from: number
  readonly to: number
}

/** Beyond these a comparison costs more than it tells. */
const LINE_LIMIT = 1_000
const RUN_LIMIT = 100
/** Of a line that is mostly new, marking all the words says nothing. */
const MOSTLY = 0.7

/**
 * The words that changed, where a hunk replaces lines by as many others: for each line of its text the spans, with the mark
 * (`+`, `-`) as unit 0. Lines of other kinds, long ones and those that are mostly new have none.
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

/** Runs of `-` lines with as many `+` lines behind them: where each begins. */
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
  for (const part of diffWordsWithSpace(removed.slice(1), added.slice(1))) {
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
