import type { IntentsState } from '../core/intents-state.js'
import { compileSegment, matchSegments, type SegmentMatcher } from './glob.js'

/** Paths that need no intent, as gitignore(5) patterns. Matching takes linear time, as for scopes. */

export interface FreePaths {
  /** @param isDirectory a pattern that ends in a slash matches directories only. */
  has(path: string, isDirectory: boolean): boolean
}

interface Pattern {
  readonly segments: readonly SegmentMatcher[]
  readonly negated: boolean
  readonly directory: boolean
}

const CACHED_PATHS = 20_000
const NONE: FreePaths = { has: () => false }
const compiled = new WeakMap<IntentsState, FreePaths>()

/** The free paths of one registry state, compiled once. */
export function freePathsOf(state: IntentsState): FreePaths {
  if (!state.ok || !state.freePaths) return NONE
  const known = compiled.get(state) ?? intersection(state.freePaths, state.acceptedFreePaths)
  compiled.set(state, known)
  return known
}

function intersection(lines: readonly string[], accepted: readonly string[] | undefined): FreePaths {
  const now = compileFreePaths(lines)
  if (accepted === undefined) return now
  const before = compileFreePaths(accepted)
  return { has: (path, isDirectory) => now.has(path, isDirectory) && before.has(path, isDirectory) }
}

/** As in git, the last matching pattern decides, and a `!` cannot exclude a path below a matched directory. */
export function compileFreePaths(lines: readonly string[]): FreePaths {
  const patterns = lines.map(patternOf).filter((pattern) => pattern !== undefined)
  if (patterns.length === 0) return NONE
  const cache = new Map<string, boolean>()
  return {
    has(path, isDirectory) {
      const key = isDirectory ? `${path}/` : path
      const known = cache.get(key)
      if (known !== undefined) return known
      if (cache.size >= CACHED_PATHS) cache.clear()
      const result = isFree(patterns, path.split('/'), isDirectory)
      cache.set(key, result)
      return result
    },
  }
}

/** The verdict of the last pattern that matches the name itself, not its directories; undefined if none matches. */
export function compileIgnore(
  lines: readonly string[],
): (segments: readonly string[], isDirectory: boolean) => boolean | undefined {
  const patterns = lines.map(patternOf).filter((pattern) => pattern !== undefined)
  return (segments, isDirectory) => lastMatch(patterns, segments, isDirectory)
}

function isFree(patterns: readonly Pattern[], path: readonly string[], isDirectory: boolean): boolean {
  return path.some((_, at) => lastMatch(patterns, path.slice(0, at + 1), at < path.length - 1 || isDirectory) === true)
}

function lastMatch(patterns: readonly Pattern[], name: readonly string[], isDirectory: boolean): boolean | undefined {
  const last = patterns.findLast(
    ({ segments, directory }) => (!directory || isDirectory) && matchSegments(segments, name, 0),
  )
  return last && !last.negated
}

function patternOf(line: string): Pattern | undefined {
  const text = line.replace(/(?<!\\)[ \t]+$/, '')
  const negated = text.startsWith('!')
  const body = unescapeGlob(negated ? text.slice(1) : text)
  const directory = body.endsWith('/')
  const path = directory ? body.slice(0, -1) : body
  const segments = path.replace(/^\//, '').split('/')
  if (segments.includes('')) return undefined
  // A pattern with a slash before its end is anchored at the root; one without is a name at any depth.
  const anchored = path.includes('/') ? segments : ['**', ...segments]
  // Git's `a/**` matches everything in the directory, but not the directory.
  const matchers: SegmentMatcher[] = anchored.map(compileSegment)
  if (anchored.length > 1 && anchored.at(-1) === '**') matchers.push(() => true)
  return { segments: matchers, negated, directory }
}

/** Translates backslash escapes into one-character classes, which our globs use instead. */
function unescapeGlob(text: string): string {
  return text.replace(/\\([\s\S])/g, (_, char: string) => (/[*?[\\]/.test(char) ? `[${char}]` : char))
}
