/**
 * Returns the entry of `known` that a mistyped word most likely means; undefined if none is close. Counts omitted, added, changed
 * and swapped letters. Ignores case. A word that differs only in its number, such as `INT-099` from `INT-001`, is not a typo.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.min(3, Math.ceil(word.length / 3)) + 1
  for (const each of known) {
    if (Math.abs(each.length - word.length) >= least || hasOtherNumber(word, each)) continue
    const far = distance(word.toLowerCase(), each.toLowerCase())
    if (far < least) [best, least] = [each, far]
  }
  return best
}

/** Whether two words differ only in the values of their numbers. */
function hasOtherNumber(word: string, other: string): boolean {
  const [mine, theirs] = [word, other].map((each) => each.toLowerCase().split(/\d+/).join('#'))
  const [numbers, otherNumbers] = [word, other].map((each) => each.match(/\d+/g)?.map(Number).join() ?? '')
  return mine === theirs && numbers !== otherNumbers
}

/** Optimal string alignment: a swap of neighbours is one step. */
function distance(a: string, b: string): number {
  let older: number[] = []
  let before = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        at(before, j) + 1,
        at(row, j - 1) + 1,
        at(before, j - 1) + (isSame ? 0 : 1),
        swapped ? at(older, j - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    older = before
    before = row
  }
  return at(before, b.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
