import picomatch from 'picomatch'

/** Past these one segment's pattern can take the matcher minutes on a name an agent chose. */
const LENGTH = 512
const STARS_PER_SEGMENT = 3

/**
 * Compiles a glob a person typed, or undefined if it is none we run: too long, too many stars in a segment, groups.
 * Segments are matched one by one, because in a pattern of a whole path the stars multiply: three segments of three
 * stars each took 200 s. `**` is any number of segments, also none; braces and classes stay within a segment.
 */
export function compileGlob(glob: string): ((path: string) => boolean) | undefined {
  const segments = glob.split('/')
  if (glob.length > LENGTH || !segments.every(isSafe)) return undefined
  const matchers = segments.map((segment) => (segment === '**' ? ANY_DEPTH : one(segment)))
  return (path) => matchesAll(matchers, path.split('/'))
}

const ANY_DEPTH = 'any depth'
type Matcher = typeof ANY_DEPTH | ((name: string) => boolean)

function isSafe(segment: string): boolean {
  return segment !== '' && !segment.includes('(') && (segment.match(/\*+/g)?.length ?? 0) <= STARS_PER_SEGMENT
}

function one(segment: string): Matcher {
  // The flag: a name may have line breaks.
  const isMatch = picomatch(segment, { dot: true, nonegate: true, noextglob: true, flags: 's' })
  return (name) => isMatch(name)
}

/** Walks all matchers over all names; `reached[n]` = the matchers so far can use up exactly the first n names. */
function matchesAll(matchers: readonly Matcher[], names: readonly string[]): boolean {
  let reached = [true, ...names.map(() => false)]
  for (const matcher of matchers) {
    const from = reached
    if (matcher === ANY_DEPTH) {
      const first = from.indexOf(true)
      reached = from.map((_, count) => first !== -1 && count >= first)
    } else {
      reached = [false, ...names.map((name, index) => from[index] === true && matcher(name))]
    }
  }
  return reached.at(-1) === true
}
