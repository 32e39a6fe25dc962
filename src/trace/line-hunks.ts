import { commonLines, type LinePair } from '../core/common-lines.js'

/** Above this many lines no smallest difference is searched for: what differs is one hunk. */
const SEARCHED_LINES = 100_000
/** Edits after which the search for the smallest difference stops, and the changed part becomes one hunk. */
export const DIFF_EDITS = 2000

/** A run of lines in the place of another. */
export interface LineHunk {
  /** In the old lines, counted from 0. */
  readonly at: number
  /** Lines of the old content that are gone, and of the new one that came. */
  readonly gone: number
  readonly come: number
}

/**
 * What leads from some lines to others, in rising hunks that do not touch. What both ends have in common is never
 * searched; the cost is bounded.
 * @param keyOf what a line is compared by; lines that are equal need none.
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
  const [gone, come] = [between(old), between(now)]
  const whole = { at: head, gone: gone.length, come: come.length }
  if (gone.length + come.length === 0) return []
  if (!search || gone.length === 0 || come.length === 0) return [whole]
  if (gone.length + come.length > SEARCHED_LINES) return [whole]
  const pairs = commonLines(gone, come, DIFF_EDITS)
  return pairs === undefined ? [whole] : hunksBetween(pairs, { gone: gone.length, come: come.length }, head)
}

const itself = (line: string) => line

function hunksBetween(pairs: readonly LinePair[], count: { gone: number; come: number }, head: number): LineHunk[] {
  const hunks: LineHunk[] = []
  let [old, now] = [0, 0]
  for (const [nextOld, nextNow] of [...pairs, [count.gone, count.come] as const]) {
    const hunk = { at: head + old, gone: nextOld - old, come: nextNow - now }
    if (hunk.gone + hunk.come > 0) hunks.push(hunk)
    ;[old, now] = [nextOld + 1, nextNow + 1]
  }
  return hunks
}

/** For each new line the number of the old one it is, from 0; -1 where it came. */
export function originsBy(hunks: readonly LineHunk[], oldCount: number): number[] {
  const origins: number[] = []
  let at = 0
  for (const hunk of [...hunks, { at: oldCount, gone: 0, come: 0 }]) {
    while (at < hunk.at) origins.push(at++)
    for (let line = 0; line < hunk.come; line++) origins.push(-1)
    at += hunk.gone
  }
  return origins
}
