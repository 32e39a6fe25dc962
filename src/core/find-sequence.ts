/**
 * Finds the first occurrence of a sequence in another one, in one pass (Knuth, Morris and Pratt). `indexOf` can compare each character of one
 * with each of the other, which takes hours if an agent chooses both.
 * @param from the index at which the search starts
 * @returns -1 if there is none
 */
export type FindSequence = (all: ArrayLike<string>, from?: number) => number

/** Prepares the search for a sequence: a text, or a list of lines. */
export function createFinder(part: ArrayLike<string>): FindSequence {
  const extend = createExtender(part)
  return (all, from = 0) => {
    if (part.length === 0) return from
    let matched = 0
    for (let at = from; at < all.length; at++) {
      matched = extend(matched, all[at])
      if (matched === part.length) return at + 1 - matched
    }
    return -1
  }
}

/** The index of each occurrence of a sequence, in one pass. Occurrences may overlap. An empty sequence has none. */
export function findEach(all: ArrayLike<string>, part: ArrayLike<string>): number[] {
  const found: number[] = []
  if (part.length === 0) return found
  const extend = createExtender(part)
  let matched = 0
  for (let at = 0; at < all.length; at++) {
    matched = extend(matched, all[at])
    if (matched === part.length) found.push(at + 1 - matched)
  }
  return found
}

/** Returns a function that maps the length of a match before a unit to that after it. */
function createExtender(part: ArrayLike<string>): (matched: number, unit: string | undefined) => number {
  /** For each prefix of `part`, the length of its longest proper suffix that is also a prefix. */
  const borders = new Uint32Array(part.length)
  const extend = (matched: number, unit: string | undefined) => {
    let length = matched
    while (length > 0 && part[length] !== unit) length = borders[length - 1] ?? 0
    return part[length] === unit ? length + 1 : length
  }
  for (let at = 1; at < part.length; at++) borders[at] = extend(borders[at - 1] ?? 0, part[at])
  return extend
}
