import { diffArrays } from 'diff'

/** A line of the old lines, and the one of the new lines that it is; both counted from 0. */
export type LinePair = readonly [old: number, now: number]

/**
 * The lines that stay: a longest common subsequence. Lines of one side alone cannot be in it. They are left out of the
 * search, whose cost grows with the number of differences: of a file written anew nothing is left to search.
 * @param maxEdits edits among the lines of both sides after which the search stops.
 * @returns the pairs in order; undefined where the search stopped.
 */
export function commonLines(old: readonly string[], now: readonly string[], maxEdits: number): LinePair[] | undefined {
  const [shared, kept] = [sharedWith(now, old), sharedWith(old, now)]
  if (shared.length === 0 || kept.length === 0) return []
  const lineOf = (lines: readonly string[]) => (at: number) => lines[at] ?? ''
  const parts = diffArrays(shared.map(lineOf(old)), kept.map(lineOf(now)), { maxEditLength: maxEdits })
  if (parts === undefined) return undefined
  const pairs: LinePair[] = []
  let [o, n] = [0, 0]
  for (const { added, removed, count } of parts) {
    for (let line = 0; !added && !removed && line < count; line++) {
      pairs.push([shared[o + line] ?? 0, kept[n + line] ?? 0])
    }
    if (!added) o += count
    if (!removed) n += count
  }
  return pairs
}

/** Where `lines` has lines that `others` has as well. */
function sharedWith(others: readonly string[], lines: readonly string[]): number[] {
  const known = new Set(others)
  return lines.flatMap((line, at) => (known.has(line) ? [at] : []))
}
