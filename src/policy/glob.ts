/**
 * Glob matching in O(path × glob). An agent chooses the path, so a backtracking regular expression is not an option: a glob with three `**`
 * takes it seconds on a path of 4,000 characters.
 *
 * Paths are split at `/`. `**` matches any number of segments, including none; `*` any characters within one, including a leading dot;
 * `?` one character; `[a-c]` and `[!a]` one of a class. Nothing else is special.
 */
export type SegmentMatcher = Part

/** A wildcard for any number of items, or a test of one item. Items are the segments of a path, or the characters of a segment. */
type Part = typeof ANY | ((item: string) => boolean)
export type Token = Part

export const ANY = '**'

/** Whether a segment of a glob has no wildcard. */
export function isLiteral(segment: string): boolean {
  return !/[*?]|\[[^\]]+\]/.test(segment)
}

export function compileSegment(segment: string): SegmentMatcher {
  if (segment === '**') return ANY
  if (isLiteral(segment)) return (text) => text === segment
  const [first, ...rest] = segment.split(/\*+/)
  const end = rest[0]
  // Fast path for `*` and `*.ts`, the usual last segments.
  if (first === '' && rest.length === 1 && end !== undefined && isLiteral(end)) return (text) => text.endsWith(end)
  const parts = tokensOf(segment)
  // Web frameworks name files `[id].tsx`, so a segment also matches literally.
  return (text) => text === segment || wildcardMatch(parts, text, 0)
}

/** Matches `path`, from segment `from` on, against the whole of `glob`. */
export function matchSegments(glob: readonly SegmentMatcher[], path: readonly string[], from: number): boolean {
  return wildcardMatch(glob, path, from)
}

/** Tokens for the characters of a segment; `*` is {@link ANY}. */
export function tokensOf(segment: string): Token[] {
  const parts: Part[] = []
  for (const [part] of segment.matchAll(/\*+|\[[!^]?[^\]]+\]|[\s\S]/g)) {
    if (part.startsWith('*')) parts.push(ANY)
    else if (part === '?') parts.push(() => true)
    else if (part.length > 1) parts.push(classOf(part))
    else parts.push((char) => char === part)
  }
  return parts
}

function classOf(text: string): (char: string) => boolean {
  const negated = text.length > 3 && /^\[[!^]/.test(text)
  const members = text.slice(negated ? 2 : 1, -1)
  const ranges: [low: string, high: string][] = []
  for (let i = 0; i < members.length; i++) {
    const low = members.charAt(i)
    const isRange = members[i + 1] === '-' && i + 2 < members.length
    ranges.push([low, isRange ? members.charAt(i + 2) : low])
    if (isRange) i += 2
  }
  return (char) => ranges.some(([low, high]) => char >= low && char <= high) !== negated
}

/** Backtracks to the last wildcard only: whatever an earlier one could match, the last one can too. */
function wildcardMatch(pattern: readonly Part[], items: ArrayLike<string>, from: number): boolean {
  let p = 0
  let i = from
  let wildcard = -1
  let taken = from
  while (i < items.length) {
    const part = pattern[p]
    if (part === ANY) {
      wildcard = p++
      taken = i
    } else if (part?.(items[i] ?? '')) {
      p++
      i++
    } else if (wildcard >= 0) {
      p = wildcard + 1
      i = ++taken
    } else return false
  }
  while (pattern[p] === ANY) p++
  return p === pattern.length
}
