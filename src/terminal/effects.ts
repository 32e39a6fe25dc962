import { readdirSync, type Stats } from 'node:fs'
import { ancestorsOf, childOf, codeOf, type Overlay, parentOf, type RelPath, ROOT } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import { lookAt } from '../os/read.js'
import { chmodSync } from '../os/write.js'
import type { HolderPlaces } from './holder.js'
import { isInUse, type Layer, layerStamp, liveLayer, restingLayer } from './layer.js'

/** One change a command made, read from the layer it writes to. */
export type Effect =
  /** `hidden`: the layer has no whiteout for it; it is gone because its directory was replaced. */
  | { readonly kind: 'gone'; readonly path: RelPath; readonly hidden?: true }
  | { readonly kind: 'dir'; readonly path: RelPath; readonly mode: number; readonly isNew: boolean }
  | {
      readonly kind: 'file'
      readonly path: RelPath
      readonly mode: number
      readonly size: number
      /** Equal for hard links of one file. */
      readonly ino: number
      /** Time of the last write (milliseconds), if it is known. */
      readonly mtimeMs?: number
      /** Equal stamps mean that the file was not written in between. */
      readonly stamp: string
      read(): Buffer
    }
  | { readonly kind: 'symlink'; readonly path: RelPath; readonly target: string }
  /** A type that the stage cannot hold: a FIFO, a socket, a device. */
  | { readonly kind: 'other'; readonly path: RelPath; readonly description: string }
  /** A directory with names that are not valid UTF-8, which no {@link RelPath} can spell. */
  | { readonly kind: 'unnamed'; readonly path: RelPath }
  /** A repository's own files were written: `count` of them changed, without its index. */
  | { readonly kind: 'git'; readonly path: RelPath; readonly count: number }

export type FileEffect = Extract<Effect, { kind: 'file' }>

export interface Effects {
  readonly effects: Effect[]
  /** Topmost paths that are kept for the session's later commands. */
  readonly kept: RelPath[]
  /** Paths that changed while they were read, or cannot be read while the command runs. They are not effects yet. */
  readonly unsettled: RelPath[]
  /** Closes the descriptors that contents are read by. */
  close(): void
}

/** A query for the effects in a layer. */
export interface EffectQuery {
  /** The stage as it is now. */
  readonly overlay: Overlay
  /** The command is still running: effects that only its end decides (a repository's files, unsupported types) are left out. */
  readonly isLive: boolean
  /** Whether a path is not to be staged but kept for the session's later commands. */
  readonly isKept: (path: RelPath, isDirectory: boolean) => boolean
}

/** Host paths of the layer the command wrote to, of those below it, and of the workspace as the command sees it. */
type LayerPaths = Pick<HolderPlaces, 'written' | 'merged' | 'staged' | 'workspace'>

/** Largest number of path segments: checks walk every ancestor. */
const MAX_DEPTH = 256

/**
 * Reads the effects of a command from the layer, in time proportional to the size of its writes.
 * @throws EscrowError `unsupported` if the layer cannot be read, for example because a tree is too deep for a path.
 */
export function readEffects(places: LayerPaths, query: EffectQuery): Effects {
  try {
    return walkEffects(places, query)
  } catch (error) {
    throw unreadable(error)
  }
}

/** The error for a layer that cannot be read as a whole. */
export function unreadable(cause: unknown): EscrowError {
  const why = errorText(cause)
  const message = `The command's changes could not be read, so none of them was staged: ${why}`
  return new EscrowError('unsupported', message, { cause })
}

function walkEffects(places: LayerPaths, query: EffectQuery): Effects {
  const { isLive } = query
  const written = isLive ? liveLayer(places.written) : restingLayer(places.written)
  const merged = isLive ? liveLayer(places.merged) : undefined
  try {
    const seen: MountedView = merged ?? {
      names: (dir) => ownedNames(`${places.merged}/${dir}`),
      lstat: (path) => lookAt(`${places.merged}/${path}`),
    }
    return new Walk(places, query, written, seen).run()
  } catch (error) {
    written.close()
    throw error
  } finally {
    merged?.close()
  }
}

/** Where overlayfs remembers that a mode excluded the owner, only a change of the mode through it lets this process read the directory. */
function ownedNames(host: string): string[] {
  try {
    return readdirSync(host)
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error
    chmodSync(host, 0o700)
    return readdirSync(host)
  }
}

type MountedView = Pick<Layer, 'names' | 'lstat'>

class Walk {
  readonly #found: Effects = { effects: [], kept: [], unsettled: [], close: () => this.written.close() }

  constructor(
    private readonly places: LayerPaths,
    private readonly query: EffectQuery,
    private readonly written: Layer,
    /** The workspace as the command sees it. */
    private readonly seen: MountedView,
  ) {}

  run(): Effects {
    this.#below(ROOT)
    return this.#found
  }

  #below(dir: RelPath): void {
    const names = new Set(this.written.names(dir))
    for (const name of names) {
      const path = childOf(dir, name)
      this.#attempt(path, () => this.#look(path, name))
    }
    this.#removedBelow(dir, names)
  }

  /** While a command runs, a path that vanishes or is in use is left for the next look. */
  #attempt(path: RelPath, work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!this.query.isLive || !isInUse(error)) throw error
      this.#found.unsettled.push(path)
    }
  }

  #look(path: RelPath, name: string): void {
    const { effects, kept } = this.#found
    if (path.split('/').length > MAX_DEPTH) throw new Error(`directories are nested deeper than ${MAX_DEPTH} levels.`)
    const stats = this.written.lstat(path)
    if (!stats) {
      // One effect for all of them: decoded, they have the same name.
      const dir = parentOf(path)
      if (!this.query.isLive && !effects.some((each) => each.kind === 'unnamed' && each.path === dir))
        effects.push({ kind: 'unnamed', path: dir })
      return
    }
    const isGone = stats.isCharacterDevice() && stats.rdev === 0
    if (name === '.git') {
      if (!this.query.isLive) effects.push({ kind: 'git', path, count: isGone ? 1 : this.#countGit(path, stats) })
      return
    }
    if (this.query.isKept(path, stats.isDirectory())) kept.push(path)
    else if (isGone) effects.push({ kind: 'gone', path })
    else if (stats.isDirectory()) {
      effects.push({
        kind: 'dir',
        path,
        mode: stats.mode & 0o7777,
        isNew: this.query.overlay.typeOf(path) !== 'dir',
      })
      this.#below(path)
    } else this.#leaf(path, stats)
  }

  #leaf(path: RelPath, stats: Stats): void {
    const { effects } = this.#found
    const mode = stats.mode & 0o7777
    const read = () => this.written.read(path, stats)
    if (stats.isSymbolicLink()) effects.push({ kind: 'symlink', path, target: this.written.target(path) })
    else if (stats.isFile()) {
      const { size, ino, mtimeMs } = stats
      effects.push({ kind: 'file', path, mode, size, ino, mtimeMs, stamp: layerStamp(stats), read })
    } else if (!this.query.isLive) effects.push({ kind: 'other', path, description: describeType(stats) })
  }

  /** A replaced directory hides everything below it, and Node cannot read the xattr that says so. */
  #removedBelow(dir: RelPath, written: ReadonlySet<string>): void {
    if (dir === ROOT) return
    const before = namesBelow(this.places, dir).filter((name) => !written.has(name))
    if (before.length === 0 || this.#isMerged(dir)) return
    const seen = new Set(this.seen.names(dir))
    for (const name of before)
      if (!seen.has(name)) this.#found.effects.push({ kind: 'gone', path: childOf(dir, name), hidden: true })
  }

  /**
   * Whether overlayfs merges the directory with the layers below, so that it hides nothing without a whiteout. Its listing may be
   * stale while a program holds it open. Overlayfs reports one link for a merged directory, and at least two for any other.
   */
  #isMerged(dir: RelPath): boolean {
    return this.seen.lstat(dir)?.nlink === 1
  }

  /** Counts changed files below a `.git`. Git refreshes its index by itself, so that does not count. */
  #countGit(path: RelPath, stats: Stats, depth = 0): number {
    if (!stats.isDirectory()) return 1
    let count = 0
    for (const name of this.written.names(path)) {
      if (depth === 0 && (name === 'index' || name === 'index.lock')) continue
      const below = this.written.lstat(childOf(path, name))
      count += below ? this.#countGit(childOf(path, name), below, depth + 1) : 1
    }
    return count
  }
}

/**
 * The names a directory had before the command wrote anything. They come from the layers below the mount, because the stage may have
 * changed since.
 */
export function namesBelow({ staged, workspace }: LayerPaths, dir: RelPath): string[] {
  const way = [dir, ...ancestorsOf(dir)]
  if (way.some((each) => typeAt(`${staged}/${each}`) === 'other')) return []
  const names = new Map<string, boolean>()
  if (way.every((each) => typeAt(`${workspace}/${each}`) === 'dir'))
    for (const name of readdirSync(`${workspace}/${dir}`)) names.set(name, true)
  if (typeAt(`${staged}/${dir}`) === 'dir')
    for (const entry of readdirSync(`${staged}/${dir}`, { withFileTypes: true }))
      names.set(entry.name, !entry.isCharacterDevice())
  return [...names].flatMap(([name, isThere]) => (isThere ? [name] : []))
}

function typeAt(host: string): 'dir' | 'other' | undefined {
  const stats = lookAt(host)
  return stats && (stats.isDirectory() ? 'dir' : 'other')
}

function describeType(stats: Stats): string {
  if (stats.isFIFO()) return 'a FIFO'
  if (stats.isSocket()) return 'a socket'
  return stats.isBlockDevice() || stats.isCharacterDevice() ? 'a device' : 'no file'
}
