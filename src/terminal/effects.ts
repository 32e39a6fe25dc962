import { readdirSync, type Stats } from 'node:fs'
import { ancestorsOf, childOf, type Overlay, parentOf, type RelPath, ROOT } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import { lookAt } from '../host/read.js'
import { isInUse, type Layer, liveLayer, restingLayer, stampOf } from './layer.js'

/** What a command has done, read from the layer it writes to. */
export type Effect =
  /** `hidden`: no sign of its own says so, but that its directory was made anew in the place of another. */
  | { readonly kind: 'gone'; readonly path: RelPath; readonly hidden?: true }
  | { readonly kind: 'dir'; readonly path: RelPath; readonly mode: number; readonly isNew: boolean }
  | {
      readonly kind: 'file'
      readonly path: RelPath
      readonly mode: number
      readonly size: number
      /** Equal for names of one file. */
      readonly ino: number
      /** When it was written last, where that is known. */
      readonly mtimeMs?: number
      /** Equal: not written since. */
      readonly stamp: string
      read(): Buffer
    }
  | { readonly kind: 'symlink'; readonly path: RelPath; readonly target: string }
  /** Nothing a stage can hold: a FIFO, a socket, a device. */
  | { readonly kind: 'other'; readonly path: RelPath; readonly what: string }
  /** Names in a directory that are no UTF-8: no path of ours leads to them. */
  | { readonly kind: 'unnamed'; readonly path: RelPath }
  /** A repository's own files were written: `count` changed beside its index, which may be none. */
  | { readonly kind: 'git'; readonly path: RelPath; readonly count: number }

export type FileEffect = Extract<Effect, { kind: 'file' }>

export interface Effects {
  readonly effects: Effect[]
  /** What stays with the session's commands, by its topmost name. */
  readonly kept: RelPath[]
  /** What changed while it was looked at, or cannot be read while its command lives: none of these is an effect yet. */
  readonly unsettled: RelPath[]
  /** Lets go of what is held to read contents by. */
  close(): void
}

export interface EffectsDeps {
  /** The layer the command wrote to, those below it, and the workspace as it saw it: host paths. */
  readonly places: {
    readonly written: string
    readonly merged: string
    readonly staged: string
    readonly workspace: string
  }
  /** The command is still at work: what can only be told in the end (a repository's files, what no stage holds) is left out. */
  readonly isLive?: boolean
  /** The stage as it is now. */
  readonly overlay: Overlay
  /** Whether a path is not to be staged, but left to the session's later commands. */
  readonly isKept: (path: RelPath, isDirectory: boolean) => boolean
}

/** Segments of a path: what is judged by its every part must have few. */
const DEEPEST = 256

/** As readEffects; a tree too deep for a path, say, is told in words. */
export function effectsIn(deps: Parameters<typeof readEffects>[0]): ReturnType<typeof readEffects> {
  try {
    return readEffects(deps)
  } catch (error) {
    throw unreadable(error)
  }
}

/** What a command left that cannot be looked at whole. */
export function unreadable(cause: unknown): EscrowError {
  const why = errorText(cause)
  const message = `What the command left could not be read, and none of it was staged: ${why}`
  return new EscrowError('unsupported', message, { cause })
}

/** What was written, in proportion to it. */
function readEffects(deps: EffectsDeps): Effects {
  const { places, isLive = false } = deps
  const written = isLive ? liveLayer(places.written) : restingLayer(places.written)
  const merged = isLive ? liveLayer(places.merged) : undefined
  try {
    const seen: Seen = merged ?? {
      names: (dir) => readdirSync(`${places.merged}/${dir}`),
      look: (path) => lookAt(`${places.merged}/${path}`),
    }
    return new Walk(deps, written, seen).run()
  } catch (error) {
    written.close()
    throw error
  } finally {
    merged?.close()
  }
}

type Seen = Pick<Layer, 'names' | 'look'>

class Walk {
  readonly #found: Effects = { effects: [], kept: [], unsettled: [], close: () => this.written.close() }

  constructor(
    private readonly deps: EffectsDeps,
    private readonly written: Layer,
    /** The workspace as the command sees it. */
    private readonly seen: Seen,
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

  /** While a command is at work, what is gone or in use between two looks is left for later. */
  #attempt(path: RelPath, work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!this.deps.isLive || !isInUse(error)) throw error
      this.#found.unsettled.push(path)
    }
  }

  #look(path: RelPath, name: string): void {
    const { effects, kept } = this.#found
    if (path.split('/').length > DEEPEST) throw new Error(`a directory lies deeper than ${DEEPEST} others.`)
    const stats = this.written.look(path)
    if (!stats) {
      // Of all of them at once: here they have one name.
      const dir = parentOf(path)
      if (!this.deps.isLive && !effects.some((each) => each.kind === 'unnamed' && each.path === dir))
        effects.push({ kind: 'unnamed', path: dir })
      return
    }
    const isGone = stats.isCharacterDevice() && stats.rdev === 0
    if (name === '.git') {
      if (!this.deps.isLive) effects.push({ kind: 'git', path, count: isGone ? 1 : this.#countGit(path, stats) })
      return
    }
    if (this.deps.isKept(path, stats.isDirectory())) kept.push(path)
    else if (isGone) effects.push({ kind: 'gone', path })
    else if (stats.isDirectory()) {
      effects.push({
        kind: 'dir',
        path,
        mode: stats.mode & 0o7777,
        isNew: this.deps.overlay.typeOf(path) !== 'dir',
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
      effects.push({ kind: 'file', path, mode, size, ino, mtimeMs, stamp: stampOf(stats), read })
    } else if (!this.deps.isLive) effects.push({ kind: 'other', path, what: whatIs(stats) })
  }

  /** A directory that was made anew in the place of another hides all that was in it, and leaves no sign Node can read. */
  #removedBelow(dir: RelPath, written: ReadonlySet<string>): void {
    if (dir === ROOT) return
    const before = namesBelow(this.deps.places, dir).filter((name) => !written.has(name))
    if (before.length === 0 || this.#isMerged(dir)) return
    const seen = new Set(this.seen.names(dir))
    for (const name of before)
      if (!seen.has(name)) this.#found.effects.push({ kind: 'gone', path: childOf(dir, name), hidden: true })
  }

  /**
   * One that shows what is below it hides nothing in silence; its names may be those of before, where a program holds it
   * open. The kernel gives such a directory one link, and any other at least two.
   */
  #isMerged(dir: RelPath): boolean {
    return this.seen.look(dir)?.nlink === 1
  }

  /** Changed files below a `.git`; git's own refresh of its index counts for nothing. */
  #countGit(path: RelPath, stats: Stats, depth = 0): number {
    if (!stats.isDirectory()) return 1
    let count = 0
    for (const name of this.written.names(path)) {
      if (depth === 0 && (name === 'index' || name === 'index.lock')) continue
      const below = this.written.look(childOf(path, name))
      count += below ? this.#countGit(childOf(path, name), below, depth + 1) : 1
    }
    return count
  }
}

/**
 * The names a directory had for a command before it wrote anything: of the layers it was mounted over, and not of the
 * stage, which may have gone on since.
 */
export function namesBelow({ staged, workspace }: EffectsDeps['places'], dir: RelPath): string[] {
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

function whatIs(stats: Stats): string {
  if (stats.isFIFO()) return 'a FIFO'
  if (stats.isSocket()) return 'a socket'
  return stats.isBlockDevice() || stats.isCharacterDevice() ? 'a device' : 'no file'
}
