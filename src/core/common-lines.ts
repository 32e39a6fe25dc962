import { diffArrays } from 'diff'

/** The indexes of a common line in the old and the new lines, from 0. */
export type LinePair = readonly [old: number, now: number]

/** The number of common lines at the beginning of two files, and at the end of the rest. */
export interface CommonEnds {
  readonly head: number
  readonly tail: number
}

export function commonEnds(old: readonly string[], now: readonly string[]): CommonEnds {
  const most = Math.min(old.length, now.length)
  let head = 0
  while (head < most && old[head] === now[head]) head++
  let tail = 0
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++
  return { head, tail }
}

/**
 * Returns a longest common subsequence of lines. The search skips the common lines at both ends, and the lines that only one
 * side has. Its cost grows with the number of differences.
 * @param maxEdits the number of differences in the searched lines after which the search stops
 * @returns the pairs in order; undefined if the search stopped
 */
export function commonLines(
  old: readonly string[],
  now: readonly string[],
  maxEdits: number,
  { head, tail }: CommonEnds = commonEnds(old, now),
): LinePair[] | undefined {
  const between = commonBetween(old.slice(head, old.length - tail), now.slice(head, now.length - tail), maxEdits)
  if (between === undefined) return undefined
  const pairs: LinePair[] = []
  for (let at = 0; at < head; at++) pairs.push([at, at])
  for (const [o, n] of between) pairs.push([head + o, head + n])
  for (let left = tail; left > 0; left--) pairs.push([old.length - left, now.length - left])
  return pairs
}

function commonBetween(old: readonly string[], now: readonly string[], maxEdits: number): LinePair[] | undefined {
  if (old.length === 0 || now.length === 0) return []
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

/** Returns the indexes of the `lines` that `others` also contains. */
function sharedWith(others: readonly string[], lines: readonly string[]): number[] {
  const known = new Set(others)
  return lines.flatMap((line, at) => (known.has(line) ? [at] : []))
}
