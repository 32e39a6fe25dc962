import { foldName } from '../../overlay/index.js'
import { expandBraces, globBody, globProblem } from '../core/globs.js'
import { IGNORES_CASE } from './case.js'
import { compileSegment, isLiteral, matchSegments, type SegmentMatcher } from './glob.js'

/** The paths an intent may touch. Paths are relative to the root, `/` between segments. */
export interface Scope {
  /** True if a positive glob matches the path and no `!` glob excludes it. */
  matches(path: string): boolean
  /**
   * True if a path in scope could lie below the directory, which may then be created. With `spelling`, only globs that contain these
   * segments literally count.
   */
  leadsTo(directory: string, spelling?: readonly string[]): boolean
  /** True only if every path below the directory is in scope. */
  holdsBelow(directory: string): boolean
  /** True if a glob that matches the path contains these consecutive segments literally. */
  names(path: string, segments: readonly string[]): boolean
}

const CACHED_PATHS = 20_000

/**
 * Compiles an owned scope. `src/**` matches the directory and everything below; where the segment before `/**` has a wildcard, only
 * paths below match, so the files of `src` are outside of `src/*` followed by `/**`. `src/` means `src/**`; `src` is that one name. A
 * glob that equals the path matches it, whatever its characters (`[id].tsx`). An empty list matches nothing.
 * @param anyCase whether the file system ignores case and Unicode normalization: then a `!` glob excludes every spelling. Positive
 * globs stay exact, which is the narrower reading.
 * @throws TypeError for a glob {@link globProblem} refuses.
 */
export function compileScope(globs: readonly string[], anyCase = IGNORES_CASE): Scope {
  const positive = globs.filter((glob) => !glob.startsWith('!'))
  const includes = compileGlobs(positive)
  const negative = globs.filter((glob) => glob.startsWith('!'))
  const excludes = anyCase ? inAnyCase(negative) : compileGlobs(negative)
  const all = trieOf(positive.flatMap(alternatives))
  let leads: ((directory: string) => boolean) | undefined
  const cache = new Map<string, boolean>()
  const matches = (path: string): boolean => {
    const known = cache.get(path)
    if (known !== undefined) return known
    if (cache.size >= CACHED_PATHS) cache.clear()
    const result = path !== '' && includes(path) && !excludes(path)
    cache.set(path, result)
    return result
  }
  return {
    matches,
    leadsTo(directory, spelling) {
      if (spelling !== undefined) {
        const spelt = positive.flatMap(alternatives).filter((glob) => spells(glob, spelling))
        return compileAlternatives(new Set(spelt.flatMap(prefixes)))(directory) && !excludes(directory)
      }
      leads ??= compileAlternatives(new Set(positive.flatMap(alternatives).flatMap(prefixes)))
      return leads(directory) && !excludes(directory)
    },
    holdsBelow(directory) {
      const segments = segmentsOf(directory)
      // On a disk that ignores case, a `!` glob may exclude a path anywhere.
      if (anyCase && negative.length > 0) return false
      return holdsAll(all, segments) && !negative.some((glob) => meets(glob, segments))
    },
    names: (path, segments) =>
      matches(path) &&
      positive.flatMap(alternatives).some((glob) => spells(glob, segments) && compileGlobs([glob])(path)),
  }
}

/** The intersection of two scopes. */
export function bothScopes(one: Scope, other: Scope): Scope {
  return {
    matches: (path) => one.matches(path) && other.matches(path),
    leadsTo: (directory, spelling) => one.leadsTo(directory, spelling) && other.leadsTo(directory, spelling),
    holdsBelow: (directory) => one.holdsBelow(directory) && other.holdsBelow(directory),
    names: (path, segments) => one.names(path, segments) && other.names(path, segments),
  }
}

/** Matches a path in any case and normalization. */
function inAnyCase(globs: readonly string[]): (path: string) => boolean {
  const exact = compileGlobs(globs)
  const folded = compileGlobs(globs.map(foldName))
  return (path) => exact(path) || folded(foldName(path))
}

/** Matches a path against any of the globs. A leading `!` is ignored. */
export function compileGlobs(globs: readonly string[]): (path: string) => boolean {
  if (globs.length === 0) return () => false
  const literal = new Set(globs.map(globBody))
  const matches = compileAlternatives(globs.flatMap(alternatives))
  return (path) => literal.has(path) || matches(path)
}

function compileAlternatives(globs: Iterable<string>): (path: string) => boolean {
  const root = trieOf(globs)
  return (path) => find(root, path)
}

function trieOf(globs: Iterable<string>): Node {
  const root = newNode()
  for (const glob of globs) insert(root, glob.split('/'))
  return root
}

/** Whether a `/**` after literal segments covers everything below a path. */
function holdsAll(root: Node, path: readonly string[]): boolean {
  let node: Node | undefined = root
  for (const segment of path) {
    if (node?.all) return true
    node = node?.children.get(segment)
  }
  return node?.all === true
}

/** The segments of a path; none for the root. */
export function segmentsOf(path: string): string[] {
  return path === '' ? [] : path.split('/')
}

/** Whether a glob could match a path at or below a directory. It cannot if a literal segment differs. */
export function meets(glob: string, path: readonly string[]): boolean {
  return [globBody(glob), ...alternatives(glob)].some((each) => {
    const segments = each.split('/')
    const differs = segments.findIndex((segment, i) => i < path.length && segment !== path[i])
    return differs < 0 || !segments.slice(0, differs + 1).every(isLiteral)
  })
}

function alternatives(glob: string): string[] {
  const problem = globProblem(glob)
  const expanded = problem === undefined ? expandBraces(globBody(glob)) : undefined
  if (!expanded) throw new TypeError(`The glob ${JSON.stringify(glob)} cannot be used: ${problem}`)
  return expanded
}

/** A trie of globs by their leading literal segments, so that a path is tested only against globs it could match. */
interface Node {
  readonly children: Map<string, Node>
  /** A glob ends in `/**` here: everything below matches. */
  all: boolean
  /** A glob ends here. */
  end: boolean
  /** The segments after the literal ones, per glob. */
  readonly tails: SegmentMatcher[][]
}

function newNode(): Node {
  return { children: new Map(), all: false, end: false, tails: [] }
}

function insert(root: Node, segments: readonly string[]): void {
  let node = root
  let depth = 0
  for (; depth < segments.length; depth++) {
    const segment = segments[depth]
    if (segment === undefined || !isLiteral(segment)) break
    const child = node.children.get(segment) ?? newNode()
    node.children.set(segment, child)
    node = child
  }
  const tail = segments.slice(depth).map(compileSegment)
  const last = segments.findLast((segment) => segment !== '**')
  if (tail.at(-1) === '**' && last !== undefined && !isLiteral(last)) tail.push(() => true)
  if (tail.length === 0) node.end = true
  else if (tail.every((each) => each === '**')) node.all = true
  else node.tails.push(tail)
}

/** Splits the path lazily: most paths differ from all globs in one of the first segments. */
function find(root: Node, path: string): boolean {
  let node = root
  let segments: readonly string[] | undefined
  for (let depth = 0, start = 0; ; depth++) {
    const isEnd = start > path.length
    if (node.all || (node.end && isEnd)) return true
    if (node.tails.length > 0) segments ??= splitOnce(path)
    for (const tail of node.tails) if (matchSegments(tail, segments ?? [], depth)) return true
    if (isEnd) return false
    const slash = path.indexOf('/', start)
    const end = slash < 0 ? path.length : slash
    const child = node.children.get(path.slice(start, end))
    if (!child) return false
    node = child
    start = end + 1
  }
}

let lastSplit: { readonly path: string; readonly segments: readonly string[] } = { path: '', segments: [''] }

/** The segments of a path. Many sets of globs are asked about one path after another. */
function splitOnce(path: string): readonly string[] {
  if (lastSplit.path !== path) lastSplit = { path, segments: path.split('/') }
  return lastSplit.segments
}

/** The directories that a glob needs: `src/a/x.ts` gives `src` and `src/a`. After the first `**` any directory may lead to a match. */
function prefixes(glob: string): string[] {
  const segments = glob.split('/')
  const deep = segments.indexOf('**')
  const directories = segments.slice(0, deep < 0 ? -1 : deep + 1)
  return directories.map((_, index) => directories.slice(0, index + 1).join('/'))
}

function spells(glob: string, segments: readonly string[]): boolean {
  const globSegments = glob.split('/')
  return globSegments.some((_, start) => segments.every((segment, i) => globSegments[start + i] === segment))
}
