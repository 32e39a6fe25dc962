/** Adjacent lines, from the first to the last. */
export type LineRange = readonly [from: number, to: number]

/** Joins line numbers, in ascending order, into ranges. */
export function rangesOf(numbers: readonly number[]): LineRange[] {
  const found: [number, number][] = []
  for (const number of numbers) {
    const last = found.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else found.push([number, number])
  }
  return found
}

/** Writes ranges as words: `lines 2-4, 9`. */
export function describeRanges(numbers: readonly number[]): string {
  const parts = rangesOf(numbers).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
  return `line${numbers.length === 1 ? '' : 's'} ${parts.join(', ')}`
}
