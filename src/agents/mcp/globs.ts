import { Minimatch } from 'minimatch'
import { ToolFailure } from '../../hooks/index.js'
import { boundedMatcher, type Matcher } from '../roo/bounded-match.js'

/** Milliseconds that a call may spend on globs: agents write the patterns, and some would run for years. */
const TIME_MS = 5_000
const MAX_LENGTH = 512
const MAX_BRACES = 6

/** Matches paths, and returns the indexes of the matching ones. */
export type Glob = (paths: readonly string[]) => number[]

/** Compiles globs as the filesystem server does, for one call. They share its time limit. */
export class Globs {
  readonly #match: Matcher = boundedMatcher(TIME_MS)

  compile(pattern: string): Glob {
    if (pattern.length > MAX_LENGTH || pattern.split('{').length > MAX_BRACES + 1)
      throw new ToolFailure(
        `The pattern is longer than ${MAX_LENGTH} characters, or has more than ${MAX_BRACES} braces.`,
      )
    const glob = this.#parse(pattern)
    const matches = { test: (path: string) => glob.match(path) }
    return (paths) => this.#match(matches, paths)
  }

  /** Counts toward the time: braces become up to a hundred thousand alternatives. */
  #parse(pattern: string): Minimatch {
    let glob: Minimatch | undefined
    const parse = () => {
      glob = new Minimatch(pattern, { dot: true })
      return true
    }
    this.#match({ test: parse }, [pattern])
    if (glob === undefined) throw new ToolFailure(`${pattern} is not a glob.`)
    return glob
  }

  /** Returns the items whose path no pattern matches. */
  exclude<T>(items: readonly T[], pathOf: (item: T) => string, excluded: readonly Glob[]): T[] {
    const paths = items.map(pathOf)
    const matched = new Set(excluded.flatMap((glob) => glob(paths)))
    return items.filter((_, i) => !matched.has(i))
  }
}
