import { diffArrays } from 'diff'

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
  if (gone.length + come.length > SEARCHED_LINES || (come.length === 1 && !gone.includes(come[0] ?? ''))) return [whole]
  const parts = diffArrays(gone, come, { maxEditLength: DIFF_EDITS })
  return parts === undefined ? [whole] : hunksOf(parts, head)
}

const itself = (line: string) => line

interface Part {
  readonly added: boolean
  readonly removed: boolean
  readonly count: number
}

function hunksOf(parts: readonly Part[], head: number): LineHunk[] {
  const hunks: { at: number; gone: number; come: number }[] = []
  let at = head
  for (const { added, removed, count } of parts) {
    if (!added && !removed) {
      at += count
      continue
    }
    const last = hunks.at(-1)
    const hunk = last !== undefined && last.at + last.gone === at ? last : { at, gone: 0, come: 0 }
    if (hunk !== last) hunks.push(hunk)
    if (added) hunk.come += count
    else {
      hunk.gone += count
      at += count
    }
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
