import { type LineHunk, lineHunks, originsBy, splitAtBrackets } from './line-hunks.js'

/**
 * Follows lines through a formatter: white space, quotes, semicolons, commas, and where lines break. A run of old lines
 * became a run of new ones if their texts without these are the same.
 */

const LAYOUT = /[\s;,'"`()]+/g
/** The limit of lines in a hunk in which broken and joined lines are searched. */
const MAX_HUNK = 2000
/** The limit of lines that one run may have on a side. */
const MAX_RUN = 40

const plain = (line: string) => line.replace(LAYOUT, '')

/** The old lines that each new line came from, from 0; none for a new line. */
export function layoutOrigins(old: readonly string[], now: readonly string[]): (readonly number[])[] {
  const hunks = splitAtBrackets(lineHunks(old, now, true, plain), old, now)
  const found = originsBy(hunks, old.length).map((from) => (from === -1 ? [] : [from]))
  let shift = 0
  for (const hunk of hunks) {
    matchRuns(old, now, hunk, hunk.at + shift, found)
    shift += hunk.added - hunk.removed
  }
  return found
}

function matchRuns(
  old: readonly string[],
  now: readonly string[],
  { at, removed, added }: LineHunk,
  start: number,
  found: (readonly number[])[],
): void {
  if (removed === 0 || added === 0 || removed + added > MAX_HUNK) return
  const [olds, nows] = [old.slice(at, at + removed).map(plain), now.slice(start, start + added).map(plain)]
  let from = 0
  for (let to = 0; to < nows.length; ) {
    const run = runAt(olds, nows, from, to)
    if (run === undefined) {
      to++
      continue
    }
    const lines = Array.from({ length: run.oldEnd - run.oldStart }, (_, n) => at + run.oldStart + n)
    for (const [line, own] of shares(olds, nows, run, to).entries())
      found[start + to + line] = own.map((each) => lines[each - run.oldStart] ?? at)
    from = run.oldEnd
    to = run.nowEnd
  }
}

interface Run {
  readonly oldStart: number
  readonly oldEnd: number
  readonly nowEnd: number
}

/** The first run of old lines, from `from` on, with the text of a run of new lines that begins at `to`. */
function runAt(olds: readonly string[], nows: readonly string[], from: number, to: number): Run | undefined {
  if (nows[to] === '') return undefined
  for (let oldStart = from; oldStart < olds.length; oldStart++) {
    if (olds[oldStart] === '') continue
    let [oldEnd, nowEnd] = [oldStart + 1, to + 1]
    let [one, other] = [olds[oldStart] ?? '', nows[to] ?? '']
    while (one !== other && oldEnd - oldStart <= MAX_RUN && nowEnd - to <= MAX_RUN) {
      if (one.length < other.length && other.startsWith(one) && oldEnd < olds.length) one += olds[oldEnd++]
      else if (other.length < one.length && one.startsWith(other) && nowEnd < nows.length) other += nows[nowEnd++]
      else break
    }
    if (one !== other) continue
    // A bracket or a separator alone on the next line ends the run that it closes.
    while (nowEnd < nows.length && nows[nowEnd] === '' && olds[oldEnd] !== '') nowEnd++
    return { oldStart, oldEnd, nowEnd }
  }
  return undefined
}

/** For each new line of a run, the old lines that its text comes from. */
function shares(olds: readonly string[], nows: readonly string[], { oldStart, oldEnd, nowEnd }: Run, to: number) {
  const ends: number[] = []
  for (let line = oldStart; line < oldEnd; line++) ends.push((ends.at(-1) ?? 0) + (olds[line] ?? '').length)
  let done = 0
  return nows.slice(to, nowEnd).map((text) => {
    const [first, last] = [done, Math.max(done, done + text.length - 1)]
    done += text.length
    const overlapping = ends.flatMap((end, n) => (end > first && (ends[n - 1] ?? 0) <= last ? [oldStart + n] : []))
    return overlapping.length > 0 ? overlapping : [oldEnd - 1]
  })
}
