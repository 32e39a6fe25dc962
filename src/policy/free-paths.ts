import type { IntentsState } from '../core/intents-state.js'
import { compileSegment, matchSegments, type SegmentMatcher } from './glob.js'

/** The paths that need no intent: gitignore patterns (gitignore(5)), matched in linear time as scopes are. */

export interface FreePaths {
  /** @param isDirectory a pattern that ends in a slash takes in a directory of its name, and no file. */
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

/** Of one state of the registry; compiled once. */
export function freePathsOf(state: IntentsState): FreePaths {
  if (!state.ok || !state.freePaths) return NONE
  const known = compiled.get(state) ?? both(state.freePaths, state.acceptedFreePaths)
  compiled.set(state, known)
  return known
}

function both(lines: readonly string[], accepted: readonly string[] | undefined): FreePaths {
  const now = compileFreePaths(lines)
  if (accepted === undefined) return now
  const before = compileFreePaths(accepted)
  return { has: (path, isDirectory) => now.has(path, isDirectory) && before.has(path, isDirectory) }
}

/** As in git the last pattern that matches decides, and what is in a directory taken in cannot be taken out again. */
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

/** What the patterns say of a name itself, whatever directory it is in: undefined where none speaks of it. */
export function compileIgnore(
  lines: readonly string[],
): (segments: readonly string[], isDirectory: boolean) => boolean | undefined {
  const patterns = lines.map(patternOf).filter((pattern) => pattern !== undefined)
  return (segments, isDirectory) => lastWord(patterns, segments, isDirectory)
}

function isFree(patterns: readonly Pattern[], path: readonly string[], isDirectory: boolean): boolean {
  return path.some((_, at) => lastWord(patterns, path.slice(0, at + 1), at < path.length - 1 || isDirectory) === true)
}

function lastWord(patterns: readonly Pattern[], name: readonly string[], isDirectory: boolean): boolean | undefined {
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
  // Git's `a/**` is all that is in the directory, and not the directory.
  const matchers: SegmentMatcher[] = anchored.map(compileSegment)
  if (anchored.length > 1 && anchored.at(-1) === '**') matchers.push(() => true)
  return { segments: matchers, negated, directory }
}

/** A backslash takes a character's meaning away: in our globs a class of one does. */
function unescapeGlob(text: string): string {
  return text.replace(/\\([\s\S])/g, (_, char: string) => (/[*?[\\]/.test(char) ? `[${char}]` : char))
}
