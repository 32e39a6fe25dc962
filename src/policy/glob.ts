/**
 * Glob matching in time linear in path × glob. An agent chooses the path, and a regular expression backtracks: a plain
 * glob with three `**` takes it seconds on a path of 4,000 characters.
 *
 * Paths are cut at `/`. `**` is any number of segments, also none; `*` any characters of one, a leading dot included;
 * `?` one; `[a-c]`, `[!a]` one of a class. Nothing else has a meaning.
 */
export type SegmentMatcher = '**' | ((segment: string) => boolean)

/** True if one segment of a glob stands for itself only. */
export function isLiteral(segment: string): boolean {
  return !/[*?]|\[[^\]]+\]/.test(segment)
}

export function compileSegment(segment: string): SegmentMatcher {
  if (segment === '**') return '**'
  if (isLiteral(segment)) return (text) => text === segment
  const tokens = tokensOf(segment)
  // `[id]` is also the name of a file, as web frameworks have them.
  return (text) => text === segment || matchTokens(tokens, text)
}

/** Matches `path` from segment `from` on against all of `glob`. */
export function matchSegments(glob: readonly SegmentMatcher[], path: readonly string[], from: number): boolean {
  return wildcardMatch(
    glob.length,
    path.length - from,
    (g) => glob[g] === '**',
    (g, p) => {
      const matcher = glob[g]
      const segment = path[from + p]
      return typeof matcher === 'function' && segment !== undefined && matcher(segment)
    },
  )
}

type Token = '*' | ((char: string) => boolean)

function tokensOf(segment: string): Token[] {
  const tokens: Token[] = []
  for (const [part] of segment.matchAll(/\*+|\[[!^]?[^\]]+\]|[\s\S]/g)) {
    if (part.startsWith('*')) tokens.push('*')
    else if (part === '?') tokens.push(() => true)
    else if (part.length > 1) tokens.push(classOf(part))
    else tokens.push((char) => char === part)
  }
  return tokens
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

function matchTokens(tokens: readonly Token[], text: string): boolean {
  return wildcardMatch(
    tokens.length,
    text.length,
    (t) => tokens[t] === '*',
    (t, at) => {
      const token = tokens[t]
      return typeof token === 'function' && token(text.charAt(at))
    },
  )
}

/** Only the last wildcard ever needs to take more: what an earlier one could take, the last one can as well. */
function wildcardMatch(
  patternLength: number,
  textLength: number,
  isWildcard: (p: number) => boolean,
  same: (p: number, t: number) => boolean,
): boolean {
  let p = 0
  let t = 0
  let wildcard = -1
  let taken = 0
  while (t < textLength) {
    if (p < patternLength && isWildcard(p)) {
      wildcard = p++
      taken = t
    } else if (p < patternLength && same(p, t)) {
      p++
      t++
    } else if (wildcard >= 0) {
      p = wildcard + 1
      t = ++taken
    } else return false
  }
  while (p < patternLength && isWildcard(p)) p++
  return p === patternLength
}
