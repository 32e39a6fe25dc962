import type { Dirent } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import picomatch from 'picomatch'
import type { Entry } from '../../overlay/layer.js'
import { type GlobOptions, readGlobOptions } from './glob-options.js'
import { direntOf, entriesOf, leadsToDir, lstat, realpath } from './kernel-read.js'
import type { Args } from './ops.js'
import type { ReadView } from './view.js'

/**
 * fs.glob over the merged view, for hosts that have it (Node 22). As there, a wildcard does not match a leading dot,
 * links are followed only where the glob names them, and what cannot be read is not found.
 */
export function glob(view: ReadView, [pattern, given]: Args): (string | Dirent)[] {
  const options = readGlobOptions(pattern, given)
  const search: Search = { view, options, isExcluded: exclusionOf(view, options), found: new Map() }
  for (const each of options.patterns) searchFor(search, each)
  return [...search.found].map(([path, entry]) => (options.withFileTypes ? dirent(options, path, entry) : path))
}

interface Search {
  readonly view: ReadView
  readonly options: GlobOptions
  readonly isExcluded: (path: string, entry: Entry) => boolean
  /** By path as it is answered. */
  readonly found: Map<string, Entry>
}

function searchFor(search: Search, pattern: string): void {
  const scanned = picomatch.scan(pattern, { nonegate: true })
  const ending = pattern.endsWith('/')
  if (!scanned.isGlob) {
    addNamed(search, join(pattern.replace(/\/+$/, '') || pattern), ending)
    return
  }
  const rest = scanned.glob.replace(/\/+$/, '')
  const base = scanned.base === '' ? '.' : join(scanned.base)
  const walk = walkOf(base, rest, ending)
  if (/^\*\*$/.test(rest)) addNamed(search, base, true)
  descend(search, walk, '', [])
}

/** A name without wildcards, if it is there. */
function addNamed(search: Search, path: string, onlyDir: boolean): void {
  const entry = entryAt(search, path)
  if (!entry || (onlyDir && entry.type !== 'dir') || search.isExcluded(path, entry)) return
  search.found.set(path, entry)
}

function entryAt({ view, options }: Search, path: string): Entry | undefined {
  const at = resolve(view.root, options.cwd, path)
  try {
    const stats = lstat(view, [at], 'sync')
    if (!stats) return undefined
    const type = stats.isDirectory() ? 'dir' : stats.isSymbolicLink() ? 'symlink' : stats.isFile() ? 'file' : 'other'
    return { name: basename(at), type }
  } catch {
    return undefined
  }
}

interface Walk {
  readonly base: string
  readonly matches: (below: string) => boolean
  readonly onlyDirs: boolean
  readonly segments: readonly string[]
  readonly maxDepth: number
  /** True where nothing in the glob can match a leading dot. */
  readonly noDots: boolean
}

function walkOf(base: string, rest: string, onlyDirs: boolean): Walk {
  const segments = rest.split('/')
  return {
    base,
    matches: picomatch(rest, { nonegate: true }),
    onlyDirs,
    segments,
    maxDepth: rest.includes('**') ? Number.POSITIVE_INFINITY : segments.length,
    noDots: !/(^|[/{,(|])\\?\./.test(rest),
  }
}

function descend(search: Search, walk: Walk, below: string, links: readonly string[]): void {
  for (const entry of list(search, join(walk.base, below))) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`
    const path = join(walk.base, name)
    if ((walk.noDots && entry.name.startsWith('.')) || search.isExcluded(path, entry)) continue
    if (walk.matches(name) && (entry.type === 'dir' || !walk.onlyDirs)) search.found.set(path, entry)
    const depth = name.split('/').length
    if (depth >= walk.maxDepth) continue
    if (entry.type === 'dir') descend(search, walk, name, links)
    else if (entry.type === 'symlink') followLink(search, walk, name, links, depth)
  }
}

function list({ view, options }: Search, path: string): Entry[] {
  try {
    return entriesOf(view, resolve(view.root, options.cwd, path))
  } catch {
    return []
  }
}

/** Links are gone through when asked for, or when the glob spells their name. */
function followLink(search: Search, walk: Walk, name: string, links: readonly string[], depth: number): void {
  const { view, options } = search
  const spelt = walk.segments[depth - 1] === basename(name) && !walk.segments.slice(0, depth).includes('**')
  if (!spelt && !options.followSymlinks) return
  const at = resolve(view.root, options.cwd, walk.base, name)
  if (!leadsToDir(view, { name, type: 'symlink' }, at)) return
  const real = String(realpath(view, [at], 'promise'))
  if (!links.includes(real)) descend(search, walk, name, [...links, real])
}

function exclusionOf(view: ReadView, options: GlobOptions): Search['isExcluded'] {
  const { exclude, cwd } = options
  if (typeof exclude !== 'function') {
    const matchers = exclude.map((each) => picomatch(resolve(view.root, cwd, each), { nonegate: true }))
    return (path) => matchers.some((matches) => matches(resolve(view.root, cwd, path)))
  }
  if (options.withFileTypes) return (path, entry) => Boolean(exclude(dirent(options, path, entry)))
  // Hosts ask with the path in some places and with the bare name in others.
  return (path, entry) => Boolean(exclude(path)) || (entry.name !== path && Boolean(exclude(entry.name)))
}

function dirent({ cwd }: GlobOptions, path: string, { type }: Entry): Dirent {
  const at = path.startsWith('/') ? path : join(cwd, path)
  return direntOf({ name: basename(at), type }, dirname(at), {})
}
