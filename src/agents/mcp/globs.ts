import { Minimatch } from 'minimatch'
import { ToolFailure } from '../../hooks/index.js'
import { boundedMatcher, type Matcher } from '../roo/bounded-match.js'

/** Milliseconds a call may spend on matching: patterns are the agent's, and some would run for years. */
const TIME = 5_000
const LENGTH = 512
const BRACES = 6

/** Which of these paths a glob matches, by their indexes. */
export type Glob = (paths: readonly string[]) => number[]

/** Globs as the filesystem server reads them, of one call: they share its time. */
export class Globs {
  readonly #match: Matcher = boundedMatcher(TIME)

  of(pattern: string): Glob {
    if (pattern.length > LENGTH || pattern.split('{').length > BRACES + 1)
      throw new ToolFailure(`The pattern is longer than ${LENGTH} characters, or has more than ${BRACES} braces.`)
    const glob = new Minimatch(pattern, { dot: true })
    const matches = { test: (path: string) => glob.match(path) }
    return (paths) => this.#match(matches, paths)
  }

  /** The paths that none of the patterns matches. */
  without<T>(items: readonly T[], pathOf: (item: T) => string, excluded: readonly Glob[]): T[] {
    const paths = items.map(pathOf)
    const hit = new Set(excluded.flatMap((glob) => glob(paths)))
    return items.filter((_, i) => !hit.has(i))
  }
}
