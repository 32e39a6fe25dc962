import picomatch from 'picomatch'

/** Limits of a glob. Beyond them, the match of one segment can take minutes for a name that an agent chose. */
const LENGTH = 512
const STARS_PER_SEGMENT = 3

/**
 * Compiles a glob that a person typed. Undefined if it is too long, or has groups or too many stars in a segment.
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
  // With the flag `s`, because a name may have line breaks.
  const isMatch = picomatch(segment, { dot: true, nonegate: true, noextglob: true, flags: 's' })
  return (name) => isMatch(name)
}

/** Applies all matchers to all names. `reached[n]` is true if the matchers so far can match exactly the first n names. */
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
