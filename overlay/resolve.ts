import fs from 'node:fs'
import { dirname, normalize, resolve } from 'node:path'
import { codeOf, Errno } from './errno.js'
import type { EntryType } from './layer.js'
import type { Overlay } from './overlay.js'
import { childOf, isClean, isWithin, lexical, parentOf, type RelPath, ROOT } from './path.js'
import type { Spelling } from './spelling.js'

/**
 * Resolves paths over the merged view, as path_resolution(7) describes. `..` is the parent of the *resolved* directory,
 * at most 40 links are followed, and a link (or a `..`) that leaves the workspace continues on the real disk.
 */

/** A resolved path. `path` may be absent there, and its parent is a real directory. */
export type Resolved = Inside | Outside

/** A path in the workspace. */
export interface Inside {
  readonly inside: true
  readonly path: RelPath
  /** The requested path, normalised lexically; the physical path if that leaves the root. */
  readonly asked: string
  /** The type of the entry. A symlink only when the last name was not to be followed. */
  readonly type: EntryType | undefined
  /** How the path ends: `new/` cannot be a file, and some calls refuse `.` and `..`. */
  readonly ending: Ending
}

/** A path on the real disk, outside the workspace. */
export interface Outside {
  readonly inside: false
  /** An absolute host path. Its last name is resolved only when it was to be followed. */
  readonly path: string
  readonly asked: string
}

export type Ending = 'name' | 'slash' | 'dot' | 'dotdot'

/**
 * Whether a link at the last name is followed: always; only with a slash after it, which asks for a directory (lstat,
 * readlink); or never (unlink, rmdir, rename, mkdir).
 */
export type Follow = 'follow' | 'nofollow' | 'exact'

const MAX_LINKS = 40

interface Walk {
  /** The remaining segments, the next one last. */
  readonly todo: string[]
  links: number
  readonly ending: Ending
}

/** Resolves paths in the merged view. */
export class Resolver {
  readonly #overlay: Overlay
  readonly #root: string
  /** Other paths of the root: as it was given, before its links were resolved. */
  readonly #aliases: readonly string[]
  readonly #dirs: DirCache
  readonly #spell: Spelling | undefined

  /** @param spell finds the intended name; only needed if the disk ignores case */
  constructor(overlay: Overlay, aliases: readonly string[] = [], spell?: Spelling) {
    this.#overlay = overlay
    this.#spell = spell
    this.#root = overlay.lower.root
    this.#aliases = aliases.filter((alias) => alias !== this.#root)
    this.#dirs = new DirCache(overlay)
  }

  /**
   * Resolves a path argument (absolute, or relative to the root).
   * Throws ENOENT, ENOTDIR, ELOOP as the kernel would. A missing last name is not an error.
   */
  resolve(text: string, follow: Follow): Resolved {
    if (text === '') throw new Errno('ENOENT')
    const inner = this.inner(text)
    if (inner === undefined) return this.#outside('/', walkOf(text), follow, text)
    this.#dirs.refresh(performance.now())
    if (!this.#spell && isClean(inner) && this.#dirs.holds(inner)) {
      const path = inner as RelPath
      const type = this.#dirs.typeOf(path, true)
      if (type !== 'symlink' || follow !== 'follow') return { inside: true, path, asked: inner, type, ending: 'name' }
    }
    return this.#inside(ROOT, walkOf(inner), follow, text)
  }

  /**
   * Returns the path of a clean name whose parent was a directory a moment ago. Does not check the last name, and reads
   * nothing. Undefined if the parent is not known.
   */
  quick(text: string): RelPath | undefined {
    const inner = this.inner(text)
    if (this.#spell || inner === undefined || !isClean(inner)) return undefined
    // The host replaces a lone surrogate by another character: it would read another path than was checked.
    if (text.includes('\0') || !text.isWellFormed()) return undefined
    this.#dirs.refresh(performance.now())
    return this.#dirs.holds(inner) ? (inner as RelPath) : undefined
  }

  /** Returns a value that changes when the results of {@link quick} become invalid. @param at the time in milliseconds */
  since(at: number): unknown {
    this.#dirs.refresh(at)
    return this.#dirs.since
  }

  /** Returns the part of a path after the root, or undefined when the path does not begin with the root. */
  inner(text: string): string | undefined {
    if (!text.startsWith('/')) return text
    for (const root of [this.#root, ...this.#aliases]) if (isWithin(text, root)) return text.slice(root.length + 1)
    return undefined
  }

  /** Returns the requested path, relative to the root and normalised lexically; undefined when that is outside. */
  lexicalPath(text: string): string | undefined {
    const inner = this.inner(text)
    return inner === undefined ? undefined : lexical(inner)
  }

  /**
   * Returns the targets of a symlink at `link`: relative to the root, or absolute when outside. The first is the lexical
   * target; the second, if it can be resolved, is the physical one through the present links.
   */
  leadsTo(target: string, link: RelPath): string[] {
    const text = target.startsWith('/') ? target : `${this.#root}/${parentOf(link)}/${target}`
    const read = this.lexicalPath(text) ?? normalize(text)
    try {
      return [read, this.resolve(text, 'follow').path]
    } catch (error) {
      if (!(error instanceof Errno)) throw error
      return [read]
    }
  }

  #inside(from: RelPath, walk: Walk, follow: Follow, text: string): Resolved {
    let at = from
    let type: EntryType | undefined = 'dir'
    for (;;) {
      const segment = walk.todo.pop()
      if (segment === undefined) break
      if (segment === '' || segment === '.') {
        if (!isOwnSlash(segment, walk, follow)) assertNameGoesOn(type, segment)
        continue
      }
      if (type !== 'dir') throw new Errno(type === undefined ? 'ENOENT' : 'ENOTDIR')
      if (segment === '..') {
        if (at === ROOT) return this.#outside(dirname(this.#root), walk, follow, text)
        at = parentOf(at)
        continue
      }
      const next = childOf(at, this.#spell ? this.#spell(at, segment) : segment)
      const last = walk.todo.every((rest) => rest === '')
      type = this.#dirs.typeOf(next, last)
      if (type !== 'symlink' || (last && keepsLink(walk, follow))) {
        at = next
        continue
      }
      const left = this.#followLink(this.#overlay.readlink(next), walk)
      if (left !== undefined) return this.#enter(left, walk, follow, text)
      type = 'dir'
    }
    // Another spelling is not another name. Only a link gives one.
    const asked = this.#spell && walk.links === 0 ? at : (this.lexicalPath(text) ?? at)
    return { inside: true, path: at, asked, type, ending: walk.ending }
  }

  /** Queues a link's target. Returns '/' if the target is absolute, so that resolution starts again there. */
  #followLink(target: string, walk: Walk): '/' | undefined {
    if (++walk.links > MAX_LINKS) throw new Errno('ELOOP')
    if (target === '') throw new Errno('ENOENT')
    walk.todo.push(...target.split('/').reverse())
    return target.startsWith('/') ? '/' : undefined
  }

  #enter(from: string, walk: Walk, follow: Follow, text: string): Resolved {
    return from === this.#root ? this.#inside(ROOT, walk, follow, text) : this.#outside(from, walk, follow, text)
  }

  /** Continues on the real disk. Returns to the workspace if it reaches the root. */
  #outside(from: string, walk: Walk, follow: Follow, text: string): Resolved {
    let at = from
    for (;;) {
      const segment = walk.todo.pop()
      if (segment === undefined) break
      if (segment === '' || segment === '.' || segment === '..') {
        assertDirectory(at, segment)
        if (segment === '..') at = dirname(at)
        continue
      }
      const next = at === '/' ? `/${segment}` : `${at}/${segment}`
      if (next === this.#root) return this.#inside(ROOT, walk, follow, text)
      const last = walk.todo.every((rest) => rest === '')
      const target = last && keepsLink(walk, follow) ? undefined : linkTarget(next)
      if (target === undefined) {
        at = next
        continue
      }
      if (this.#followLink(target, walk) === '/') at = '/'
    }
    if (at === this.#root) return this.#inside(ROOT, walk, follow, text)
    return { inside: false, path: at, asked: this.lexicalPath(text) ?? resolve(this.#root, text) }
  }
}

function walkOf(text: string): Walk {
  const todo = text.split('/')
  const end = todo.at(-1)
  todo.reverse()
  const ending = end === '' ? 'slash' : end === '.' ? 'dot' : end === '..' ? 'dotdot' : 'name'
  return { todo, links: 0, ending }
}

/** Whether a slash ends a name that is not followed. The caller checks the trailing slash. */
function isOwnSlash(segment: string, walk: Walk, follow: Follow): boolean {
  return segment === '' && follow === 'exact' && walk.ending === 'slash' && walk.todo.every((rest) => rest === '')
}

/** Throws unless a slash or dot follows a directory, or an entry that is still to be made. */
function assertNameGoesOn(type: EntryType | undefined, segment: string): void {
  if (type === undefined ? segment !== '' : type !== 'dir') throw new Errno(type === undefined ? 'ENOENT' : 'ENOTDIR')
}

/** Whether a link at the last name stays unfollowed. A link whose target added segments is no longer the last. */
function keepsLink(walk: Walk, follow: Follow): boolean {
  return follow === 'exact' || (follow === 'nofollow' && walk.ending === 'name')
}

/** Throws unless the path can continue: below a directory, or below an absent entry without leaving it again. */
function assertDirectory(path: string, segment: string): void {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined ? segment !== '' : !stats.isDirectory()) throw new Errno(stats ? 'ENOTDIR' : 'ENOENT')
}

function linkTarget(path: string): string | undefined {
  try {
    return fs.readlinkSync(path)
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') throw new Errno('ENOTDIR')
    return undefined
  }
}

const FRESH_MS = 200

/**
 * Caches which lower paths are plain directories, so that each call need not check a path's parents again. An entry is
 * valid for a fifth of a second, because another program may replace a directory by a link. Reads may see the old place
 * that long. Commits pin every parent themselves.
 */
class DirCache {
  readonly #known = new Set<string>()
  #shape = -1
  /** When it was last cleared. */
  since = 0

  constructor(private readonly overlay: Overlay) {}

  /** @param now in milliseconds */
  refresh(now: number): void {
    const { shape } = this.overlay.stage.tree
    if (shape === this.#shape && now - this.since < FRESH_MS) return
    this.#known.clear()
    this.#shape = shape
    this.since = now
  }

  /** Returns whether the parent of a clean name is known as a directory. */
  holds(name: string): boolean {
    const slash = name.lastIndexOf('/')
    return slash < 0 || this.#known.has(name.slice(0, slash))
  }

  typeOf(path: RelPath, last: boolean): EntryType | undefined {
    if (!last && this.#known.has(path)) return 'dir'
    this.overlay.giveWay(path)
    const type = this.overlay.typeOf(path)
    if (type === 'dir') this.#known.add(path)
    return type
  }
}
