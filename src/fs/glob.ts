import type { Dirent } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { type Entry, typeOfStats } from '../../overlay/index.js'
import { type GlobOptions, readGlobOptions } from './glob-options.js'
import { fitsName, GLOBSTAR, type GlobPattern, matchesNames, parseGlob, type Segment } from './glob-pattern.js'
import { GLOBSTAR_ENTERS_LINKS } from './host-traits.js'
import { direntOf, entriesOf, leadsToDir } from './kernel-list.js'
import { lstat, realpath } from './kernel-read.js'
import type { Args } from './op-types.js'
import type { ReadView } from './view.js'

/**
 * fs.glob over the merged view, for hosts that have it (Node 22). It finds the same paths as the host's own walk: a
 * wildcard does not match a leading dot, a link is followed if the glob has its literal name, and unreadable entries
 * are not found.
 *
 * A directory is visited with the segments that may match in it. A glob with `**` is at several of them at once.
 */
export function glob(view: ReadView, [pattern, given]: Args): (string | Dirent)[] {
  const options = readGlobOptions(pattern, given)
  const base = resolve(view.root, options.cwd)
  const search: Search = {
    view,
    options,
    base,
    isExcluded: exclusionOf(base, options),
    found: new Set(),
    seen: new Map(),
  }
  for (const each of options.patterns.flatMap(parseGlob))
    visit(search, { ...each, path: '.', at: new Set([0]), passed: new Set(), above: [] })
  return options.withFileTypes ? [...search.found].flatMap((path) => direntOfFound(search, path)) : [...search.found]
}

interface Search {
  readonly view: ReadView
  readonly options: GlobOptions
  readonly base: string
  /** Whether the exclude globs match an absolute path. */
  readonly isExcluded: (path: string) => boolean
  readonly found: Set<string>
  /** The rests of globs that were searched in each directory. */
  readonly seen: Map<string, Set<string>>
}

interface Visit extends GlobPattern {
  readonly path: string
  /** The segments that may match entries of this directory. */
  readonly at: ReadonlySet<number>
  /** Each `**` that met a link here, and does not continue behind it. */
  readonly passed: ReadonlySet<number>
  /** The real paths of the directories above, while links are followed. */
  readonly above: readonly string[]
}

function visit(search: Search, now: Visit): void {
  const full = resolve(search.base, now.path)
  if (isSeen(search, now) || search.isExcluded(full)) return
  const [first] = now.segments
  if (now.at.has(0) && (first === '' || first === '..' || first === '.')) {
    leave(search, { ...now, at: new Set([1]), passed: new Set() }, first === '' ? '/' : first === '..' ? '../' : '.')
    return
  }
  const entry = entryAt(search, full)
  const isDir = entry !== undefined && isWalked(search, now, entry, full)
  if (addOwn(search, now, full, entry, isDir) || !isDir || !isEntered(search, now, full)) return
  const real = search.options.followSymlinks ? realOf(search, full) : undefined
  if (real !== undefined && now.above.includes(real)) return
  const below = { ...now, above: real === undefined ? now.above : [...now.above, real] }
  for (const child of childrenOf(search, now, full)) step(search, now, below, child)
}

function isSeen({ seen }: Search, { path, at, rests }: Visit): boolean {
  const known = seen.get(path) ?? new Set<string>()
  const before = known.size
  for (const index of at) known.add(rests[index] ?? '')
  seen.set(path, known)
  return known.size !== before + at.size
}

/** Continues in another directory, unless it is excluded. */
function leave(search: Search, next: Visit, path: string): void {
  const full = resolve(search.base, path)
  if (search.isExcluded(`${full}/`) && entryAt(search, full)?.type === 'dir') return
  if (isLeftOut(search, path, () => entryAt(search, full), full)) return
  visit(search, { ...next, path })
}

function isWalked({ view, options }: Search, { at, passed }: Visit, entry: Entry, full: string): boolean {
  if (entry.type !== 'symlink') return entry.type === 'dir'
  return options.followSymlinks ? leadsToDir(view, entry, full) : [...at].some((index) => !passed.has(index))
}

/** Adds the path itself if the last segment matches it. Returns true if nothing else can be found from there. */
function addOwn(
  search: Search,
  { path, segments, at }: Visit,
  full: string,
  entry: Entry | undefined,
  isDir: boolean,
): boolean {
  const last = segments.length - 1
  const end = segments[last]
  if (!endsAt(segments, at, isDir)) return false
  if (typeof end === 'string') {
    if (entryAt(search, join(full, end)) && (end !== '' || isDir)) add(search, join(path, end))
    return at.size === 1 && at.has(last)
  }
  if (end === GLOBSTAR && (path !== '.' || segments[0] === '.' || (last === 0 && entry))) add(search, path)
  return false
}

function endsAt(segments: readonly Segment[], at: ReadonlySet<number>, isDir: boolean): boolean {
  const last = segments.length - 1
  return at.has(last) || (isDir && segments[last] === '' && segments[last - 1] === GLOBSTAR && at.has(last - 1))
}

function add({ found, base, options, isExcluded }: Search, path: string): void {
  const full = resolve(base, path)
  const isTooDeep = Number.isFinite(options.maxDepth) && depthOf(base, full) > options.maxDepth
  if (!isTooDeep && !isExcluded(full)) found.add(path)
}

/** Whether results below a directory may be within `maxDepth`. An absolute glob begins above the base. */
function isEntered({ base, options }: Search, { segments }: Visit, full: string): boolean {
  if (!Number.isFinite(options.maxDepth) || depthOf(base, full) < options.maxDepth) return true
  const names = relative(full, base)
  return segments[0] === '' && names !== '' && names !== '..' && !names.startsWith('../')
}

/** The number of names between two absolute paths. */
function depthOf(base: string, full: string): number {
  const names = relative(base, full)
  return names === '' ? 0 : names.split('/').length
}

/** All entries of a directory, or only the one with the literal name that is searched. */
function childrenOf(search: Search, { segments, at }: Visit, full: string): Entry[] {
  const [only] = at
  const name = at.size === 1 && only !== undefined ? segments[only] : undefined
  if (typeof name !== 'string') return list(search, full)
  const entry = entryAt(search, join(full, name))
  return entry ? [{ ...entry, name }] : []
}

/** Matches each segment against an entry, and enters it with the segments that continue. */
function step(search: Search, now: Visit, below: Visit, entry: Entry): void {
  const path = join(now.path, entry.name)
  const full = resolve(search.base, path)
  const isDir = entry.type === 'dir' || (search.options.followSymlinks && leadsToDir(search.view, entry, full))
  const child: Child = { entry, path, full, isDir, next: new Set(), passed: new Set() }
  for (const index of now.at) {
    if (now.segments[index] === GLOBSTAR) stepDeep(search, now, child, index)
    else stepName(search, now, child, index)
  }
  if (child.next.size > 0) leave(search, { ...below, at: child.next, passed: child.passed }, path)
}

interface Child {
  readonly entry: Entry
  readonly path: string
  readonly full: string
  readonly isDir: boolean
  readonly next: Set<number>
  readonly passed: Set<number>
}

function stepName(search: Search, { segments }: Visit, { entry, path, isDir, next }: Child, index: number): void {
  const segment = segments[index]
  if (!fitsName(segment, entry.name)) return
  if (index < segments.length - 1) {
    if (isDir || typeof segment === 'string') next.add(index + 1)
  } else if (typeof segment !== 'string') add(search, path)
}

function stepDeep(search: Search, now: Visit, child: Child, index: number): void {
  const { segments, passed } = now
  const { entry, path, isDir, next } = child
  const fits = fitsName(segments[index + 1], entry.name)
  if ((entry.name.startsWith('.') && !fits) || isLeftOut(search, entry.name, () => entry, child.full)) return
  const last = segments.length - 1
  const goesOn = !passed.has(index)
  if (goesOn && isDir) next.add(index)
  else if (goesOn && index === last) add(search, path)
  if (fits && index + 1 === last && !endsAt(segments, now.at, true)) add(search, path)
  else if (fits && isDir) next.add(index + 2)
  const mayEnter = isDir || (GLOBSTAR_ENTERS_LINKS && entry.type === 'symlink')
  if (goesOn && (fits || segments[0] === '.') && mayEnter) next.add(index + 1)
  if (entry.type === 'symlink' && !search.options.followSymlinks) child.passed.add(index)
  if (segments[index + 1] === '..' && isDir) stepUp(search, now, index + 2)
}

/** `**` followed by `..` matches the directory itself, once for each directory in it, and the parent directory. */
function stepUp(search: Search, now: Visit, index: number): void {
  for (const path of [now.path, join(now.path, '..')]) {
    if (index === now.segments.length) add(search, path)
    else visit(search, { ...now, path, at: new Set([index]), passed: new Set() })
  }
}

/** Whether the caller's own test excludes an entry. */
function isLeftOut({ options }: Search, name: string, entryOf: () => Entry | undefined, full: string): boolean {
  const { exclude, withFileTypes } = options
  if (typeof exclude !== 'function') return false
  if (!withFileTypes) return Boolean(exclude(name))
  const entry = entryOf()
  return entry !== undefined && Boolean(exclude(direntAt(full, entry)))
}

function exclusionOf(base: string, { exclude }: GlobOptions): Search['isExcluded'] {
  if (typeof exclude === 'function') return () => false
  const globs = exclude.flatMap((each) => parseGlob(resolve(base, each)))
  return (path) => globs.some(({ segments }) => matchesNames(segments, path.split('/')))
}

function entryAt({ view }: Search, full: string): Entry | undefined {
  try {
    const stats = lstat(view, [full], 'sync')
    return stats && { name: basename(full), type: typeOfStats(stats) }
  } catch {
    return undefined
  }
}

function list({ view }: Search, full: string): Entry[] {
  try {
    return entriesOf(view, full)
  } catch {
    return []
  }
}

function realOf({ view }: Search, full: string): string | undefined {
  try {
    return String(realpath(view, [full], 'promise'))
  } catch {
    return undefined
  }
}

function direntOfFound(search: Search, path: string): Dirent[] {
  const entry = entryAt(search, resolve(search.base, path))
  return entry ? [direntAt(isAbsolute(path) ? path : join(search.options.cwd, path), entry)] : []
}

function direntAt(path: string, entry: Entry): Dirent {
  return direntOf({ ...entry, name: basename(path) }, dirname(path), {})
}
