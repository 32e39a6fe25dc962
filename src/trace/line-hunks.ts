import { commonLines, type LinePair } from '../core/common-lines.js'

/** Above this many lines there is no search for a minimal difference: everything that differs is one hunk. */
const SEARCHED_LINES = 100_000
/** The number of edits after which the search for a minimal difference stops, and the changed part becomes one hunk. */
export const DIFF_EDITS = 2000

/** A run of lines that replaces another. */
export interface LineHunk {
  /** The position in the old lines, from 0. */
  readonly at: number
  /** The number of removed lines, and of added ones. */
  readonly removed: number
  readonly added: number
}

/**
 * The difference of two lists of lines, as hunks in rising order that do not touch. A common start and end are skipped,
 * and the cost is bounded.
 * @param keyOf the key that lines are compared by; only called for lines that are not equal
 */
export function lineHunks(
  old: readonly string[],
  now: readonly string[],
  search = true,
  keyOf: (line: string) => string = itself,
): LineHunk[] {
  const shorter = Math.min(old.length, now.length)
  const isAlike = (one = '', other = '') => one === other || keyOf(one) === keyOf(other)
  let head = 0
  while (head < shorter && isAlike(old[head], now[head])) head++
  let tail = 0
  while (tail < shorter - head && isAlike(old[old.length - 1 - tail], now[now.length - 1 - tail])) tail++
  const between = (lines: readonly string[]) => lines.slice(head, lines.length - tail).map(keyOf)
  const [removed, added] = [between(old), between(now)]
  const whole = { at: head, removed: removed.length, added: added.length }
  if (removed.length + added.length === 0) return []
  if (!search || removed.length === 0 || added.length === 0) return [whole]
  if (removed.length + added.length > SEARCHED_LINES) return [whole]
  const pairs = commonLines(removed, added, DIFF_EDITS)
  return pairs === undefined ? [whole] : hunksBetween(pairs, { removed: removed.length, added: added.length }, head)
}

const itself = (line: string) => line

function hunksBetween(pairs: readonly LinePair[], count: { removed: number; added: number }, head: number): LineHunk[] {
  const hunks: LineHunk[] = []
  let [old, now] = [0, 0]
  for (const [nextOld, nextNow] of [...pairs, [count.removed, count.added] as const]) {
    const hunk = { at: head + old, removed: nextOld - old, added: nextNow - now }
    if (hunk.removed + hunk.added > 0) hunks.push(hunk)
    ;[old, now] = [nextOld + 1, nextNow + 1]
  }
  return hunks
}

/** The old line of each new line, from 0; -1 if the line is new. */
export function originsBy(hunks: readonly LineHunk[], oldCount: number): number[] {
  const origins: number[] = []
  let at = 0
  for (const hunk of [...hunks, { at: oldCount, removed: 0, added: 0 }]) {
    while (at < hunk.at) origins.push(at++)
    for (let line = 0; line < hunk.added; line++) origins.push(-1)
    at += hunk.removed
  }
  return origins
}
