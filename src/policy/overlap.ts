import { expandBraces, globBody } from '../core/globs.js'
import { ANY, isLiteral, type Token, tokensOf } from './glob.js'
import { compileScope } from './scope.js'

/** Whether two scopes have a path in common. */

/** Largest number of candidate paths for a pair of globs. */
const MAX_CANDIDATES = 64
/** Unlikely names, to substitute for wildcards. */
const FILLERS = ['x0', 'x0.ts', 'y1'] as const

/**
 * Finds a path in both scopes. Candidates come from walking each pair of globs together, segment by segment, and are then checked
 * against both whole scopes, so that a `!` is respected.
 * @param a the owned globs of one intent; `b` those of the other.
 * @returns undefined if no candidate is in both.
 */
export function sharedPath(a: readonly string[], b: readonly string[]): string | undefined {
  const [one, other] = [compileScope(a), compileScope(b)]
  const isShared = (path: string) => one.matches(path) && other.matches(path)
  for (const mine of expandGlobs(a)) {
    for (const theirs of expandGlobs(b)) {
      const found = [...candidates(mine, theirs)].find(isShared)
      if (found !== undefined) return found
    }
  }
  return undefined
}

function expandGlobs(globs: readonly string[]): string[][] {
  return globs
    .filter((glob) => !glob.startsWith('!'))
    .flatMap((glob) => [globBody(glob), ...(expandBraces(globBody(glob)) ?? [])])
    .map((glob) => glob.split('/'))
}

/** Candidate paths for two globs. */
function candidates(a: readonly string[], b: readonly string[]): Set<string> {
  const found = new Set<string>()
  const walk = (i: number, j: number, path: readonly string[], free: number): void => {
    if (found.size >= MAX_CANDIDATES) return
    const [mine, theirs] = [a[i], b[j]]
    if (mine === undefined && theirs === undefined) {
      if (path.length > 0) found.add(path.join('/'))
      return
    }
    if (mine === '**') walk(i + 1, j, path, free)
    if (theirs === '**') walk(i, j + 1, path, free)
    if (mine === '**' && theirs === '**') {
      if (free > 0) for (const filler of FILLERS) walk(i, j, [...path, filler], free - 1)
    } else if (mine === '**' && theirs !== undefined) {
      for (const name of names(theirs)) walk(i, j + 1, [...path, name], free)
    } else if (theirs === '**' && mine !== undefined) {
      for (const name of names(mine)) walk(i + 1, j, [...path, name], free)
    } else if (mine !== undefined && theirs !== undefined) {
      for (const name of sharedNames(mine, theirs)) walk(i + 1, j + 1, [...path, name], free)
    }
  }
  walk(0, 0, [], 2)
  return found
}

/** Names that a segment of a glob could match. */
function names(segment: string): string[] {
  return sharedNames(segment, '*')
}

function sharedNames(a: string, b: string): string[] {
  if (isLiteral(a)) return [a]
  if (isLiteral(b)) return [b]
  // `[id]` may be a literal name; the scopes decide.
  const literal = [a, b].filter((each) => !/[*?]/.test(each))
  const [mine, theirs] = [tokensOf(a), tokensOf(b)]
  const chars = [...CHARS, ...a, ...b].filter((char) => char !== '/')
  const spelt = FILLERS.map((filler) => commonPath(mine, theirs, { filler, chars, dead: new Set() }))
  return [...literal, ...spelt.filter((name) => name !== undefined && name !== '')] as string[]
}

const CHARS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.~+=@%^&,;$ ']

interface Spelling {
  /** Substitute where both have a `*`. */
  readonly filler: string
  readonly chars: readonly string[]
  /** Positions without a match, so that each is tried once. */
  readonly dead: Set<string>
}

/** A text that both segments match from tokens `i` and `j` on. */
function commonPath(a: readonly Token[], b: readonly Token[], spelling: Spelling, i = 0, j = 0): string | undefined {
  const [mine, theirs] = [a[i], b[j]]
  if (mine === undefined && theirs === undefined) return ''
  const place = `${i} ${j}`
  if (spelling.dead.has(place)) return undefined
  const found = sharedFrom(a, b, spelling, i, j)
  if (found === undefined) spelling.dead.add(place)
  return found
}

function sharedFrom(
  a: readonly Token[],
  b: readonly Token[],
  spelling: Spelling,
  i: number,
  j: number,
): string | undefined {
  const [mine, theirs] = [a[i], b[j]]
  const on = (text: string, di: number, dj: number) => {
    const rest = commonPath(a, b, spelling, i + di, j + dj)
    return rest === undefined ? undefined : text + rest
  }
  if (mine === ANY && theirs === ANY) return on(spelling.filler, 1, 0) ?? on(spelling.filler, 0, 1)
  if (mine === ANY) return on('', 1, 0) ?? (theirs && on(charOf([theirs], spelling.chars) ?? '', 0, 1))
  if (theirs === ANY) return on('', 0, 1) ?? (mine && on(charOf([mine], spelling.chars) ?? '', 1, 0))
  const char = mine && theirs && charOf([mine, theirs], spelling.chars)
  return char === undefined ? undefined : on(char, 1, 1)
}

function charOf(tests: readonly Token[], chars: readonly string[]): string | undefined {
  return chars.find((char) => tests.every((test) => test !== ANY && test(char)))
}
