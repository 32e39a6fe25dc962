import { foldName } from '../../overlay/index.js'
import { defined } from '../core/defined.js'
import { globProblem } from '../core/globs.js'
import { IGNORES_CASE } from './case.js'
import { compileGlobs, meets, segmentsOf } from './scope.js'

/** Rules for paths. A rule applies to the path it names and everything below. */
export interface PathRules<T> {
  /** The most specific rule for a path; '' is the root. */
  find(path: string): PathRule<T> | undefined
  /** Whether a rule that was found is also one for another path, even if a more specific rule applies to that. */
  covers(rule: PathRule<T>, path: string): boolean
  /** Whether a rule may apply to a path below a directory but not to the directory. */
  mayDifferBelow(dir: string): boolean
  /** Rules for paths below a directory that would not apply under another name of the directory. */
  below(dir: string): readonly PathRule<T>[]
}

export interface PathRule<T> {
  /** As written in the file. */
  readonly key: string
  readonly value: T
  /** Line of the file, from 1. */
  readonly line?: number
}

const CACHED_PATHS = 20_000

/**
 * Compiles a map of path or glob to rule. The most specific rule wins: the one that matches the longest leading part of the path; of
 * those a plain path before a glob, then the longer glob, then the first in the file.
 */
export function pathRules<T>(
  entries: Iterable<readonly [key: string, value: T, line?: number | undefined]>,
): PathRules<T> {
  const plain = new Map<string, PathRule<T>>()
  const globs: (PathRule<T> & { readonly glob: string; readonly matches: (path: string) => boolean })[] = []
  for (const [key, value, line] of entries) {
    const rule = { key, value, ...defined({ line }) }
    const name = ruleName(key)
    if (!/[*?{[]/.test(name)) plain.set(sameCase(name), rule)
    else globs.push({ ...rule, glob: sameCase(name), matches: compileGlobs([sameCase(name)]) })
  }
  globs.sort((a, b) => b.key.length - a.key.length)
  // A decision looks a path up several times, and each time all directories above it: a glob is asked once.
  const cache = new Map<string, PathRule<T> | null>()
  const findGlob = (part: string): PathRule<T> | undefined => {
    if (globs.length === 0) return undefined
    const known = cache.get(part)
    if (known !== undefined) return known ?? undefined
    if (cache.size >= CACHED_PATHS) cache.clear()
    const rule = globs.find((glob) => glob.matches(part))
    cache.set(part, rule ?? null)
    return rule
  }
  return {
    find(path) {
      if (plain.size === 0 && globs.length === 0) return undefined
      for (let part = sameCase(path); ; part = part.slice(0, Math.max(0, part.lastIndexOf('/')))) {
        const rule = plain.get(part) ?? findGlob(part)
        if (rule || part === '') return rule
      }
    },
    covers(rule, path) {
      const glob = globs.find((each) => each === rule)
      for (let part = sameCase(path); ; part = part.slice(0, Math.max(0, part.lastIndexOf('/')))) {
        if (glob === undefined ? plain.get(part) === rule : glob.matches(part)) return true
        if (part === '') return false
      }
    },
    mayDifferBelow(dir) {
      const start = dir === '' ? '' : `${sameCase(dir)}/`
      return globs.length > 0 || [...plain.keys()].some((key) => key !== '' && key.startsWith(start))
    },
    below(dir) {
      const start = dir === '' ? '' : `${sameCase(dir)}/`
      const segments = segmentsOf(sameCase(dir))
      const rules = [...plain].filter(([key]) => key !== '' && key.startsWith(start)).map(([, rule]) => rule)
      return [...rules, ...globs.filter(({ glob }) => !glob.startsWith('**/') && meets(glob, segments))]
    },
  }
}

/** Whether two keys name the same paths. */
export function sameRule(a: string, b: string): boolean {
  return sameCase(ruleName(a)) === sameCase(ruleName(b))
}

/** Returns why a key is invalid; undefined for a valid key. */
export function ruleProblem(key: string): string | undefined {
  if (key.startsWith('!')) return 'a ! has no meaning here; write a rule that allows'
  const name = ruleName(key)
  return name === '' ? undefined : globProblem(name)
}

/** Normalizes a key: `./src/`, `src/**` and `src` are one rule; `.` and `**` are the root's. */
export function ruleName(key: string): string {
  const name = key
    .replace(/^\.\//, '')
    .replace(/\/+$/, '')
    .replace(/(^|\/)\*\*$/, '')
  return name === '.' ? '' : name
}

function sameCase(path: string): string {
  return IGNORES_CASE ? foldName(path) : path
}
