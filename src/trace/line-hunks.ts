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
  if (pairs === undefined) return [whole]
  const hunks = hunksBetween(pairs, { removed: removed.length, added: added.length }, head)
  return slideDown(hunks, old, now, isAlike)
}

/**
 * Splits a run whose last brackets also follow it: new statements at the end of one function, and a new function after it.
 * The brackets of the first function are old ones. It needs the lines with their indentation, which tells a function's
 * bracket from an inner one.
 */
export function splitAtBrackets(
  hunks: readonly LineHunk[],
  old: readonly string[],
  now: readonly string[],
): LineHunk[] {
  let shift = 0
  return hunks.flatMap((hunk, n) => {
    const { at, removed, added } = hunk
    const [start, room] = [at + shift, (hunks[n + 1]?.at ?? old.length + 1) - at - removed - 1]
    shift += added - removed
    for (let first = 1; first < added; first++) {
      let same = 0
      while (same < room && first + same < added && isBracket(now[start + first + same], now[start + added + same]))
        same++
      if (same === 0) continue
      return [
        { at, removed, added: first },
        { at: at + removed + same, removed: 0, added: added - first },
      ]
    }
    return [hunk]
  })
}

function isBracket(line: string | undefined, following: string | undefined): boolean {
  return line === following && line !== undefined && /^[)\]};]*\r?$/.test(line)
}

/**
 * Moves each run that was only added, or only removed, down as far as its lines allow, as git does. Of the two brackets
 * around a new function, the lower one is then the new one.
 */
function slideDown(
  hunks: readonly LineHunk[],
  old: readonly string[],
  now: readonly string[],
  isAlike: (one: string | undefined, other: string | undefined) => boolean,
): LineHunk[] {
  let shift = 0
  return hunks.map(({ at, removed, added }, n) => {
    const until = hunks[n + 1]?.at ?? old.length + 1
    const [lines, count, from] = removed === 0 ? [now, added, at + shift] : [old, removed, at]
    shift += added - removed
    let down = 0
    if (removed === 0 || added === 0)
      while (
        at + down + removed + 1 < until &&
        from + down + count < lines.length &&
        isAlike(lines[from + down], lines[from + down + count])
      )
        down++
    return { at: at + down, removed, added }
  })
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
