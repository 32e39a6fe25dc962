/**
 * Glob matching in time linear in path × glob. An agent chooses the path, and a regular expression backtracks: a plain
 * glob with three `**` takes it seconds on a path of 4,000 characters.
 *
 * Paths are cut at `/`. `**` is any number of segments, also none; `*` any characters of one, a leading dot included;
 * `?` one; `[a-c]`, `[!a]` one of a class. Nothing else has a meaning.
 */
export type SegmentMatcher = Part

/** A wildcard for any number of items, or a test of one: of a path's segments, or of a segment's characters. */
type Part = typeof ANY | ((item: string) => boolean)
export type Token = Part

export const ANY = '**'

/** True if one segment of a glob stands for itself only. */
export function isLiteral(segment: string): boolean {
  return !/[*?]|\[[^\]]+\]/.test(segment)
}

export function compileSegment(segment: string): SegmentMatcher {
  if (segment === '**') return ANY
  if (isLiteral(segment)) return (text) => text === segment
  const [first, ...rest] = segment.split(/\*+/)
  const end = rest[0]
  // `*` and `*.ts`, which most globs end in.
  if (first === '' && rest.length === 1 && end !== undefined && isLiteral(end)) return (text) => text.endsWith(end)
  const parts = tokensOf(segment)
  // `[id]` is also the name of a file, as web frameworks have them.
  return (text) => text === segment || wildcardMatch(parts, text, 0)
}

/** Matches `path` from segment `from` on against all of `glob`. */
export function matchSegments(glob: readonly SegmentMatcher[], path: readonly string[], from: number): boolean {
  return wildcardMatch(glob, path, from)
}

/** A segment's characters, one by one; `*` is {@link ANY}. */
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

/** Only the last wildcard ever needs to take more: what an earlier one could take, the last one can as well. */
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
