import { constants, lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import { childOf, type Overlay, parentOf, type RelPath, ROOT } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { chmodSync } from '../host/write.js'

/** What a command left behind, read from the layer it wrote to once nothing of it lives any more. */
export type Effect =
  | { readonly kind: 'gone'; readonly path: RelPath }
  | { readonly kind: 'dir'; readonly path: RelPath; readonly mode: number; readonly isNew: boolean }
  | {
      readonly kind: 'file'
      readonly path: RelPath
      readonly mode: number
      readonly size: number
      /** Equal for names of one file. */
      readonly ino: number
      read(): Buffer
    }
  | { readonly kind: 'symlink'; readonly path: RelPath; readonly target: string }
  /** Nothing a stage can hold: a FIFO, a socket, a device. */
  | { readonly kind: 'other'; readonly path: RelPath; readonly what: string }
  /** Names in a directory that are no UTF-8: no path of ours leads to them. */
  | { readonly kind: 'unnamed'; readonly path: RelPath }
  /** A repository's own files were written: `count` changed beside its index, which may be none. */
  | { readonly kind: 'git'; readonly path: RelPath; readonly count: number }

export interface Effects {
  readonly effects: Effect[]
  /** What stays with the session's commands, by its topmost name. */
  readonly kept: RelPath[]
}

export interface EffectsDeps {
  /** The layer the command wrote to, and the workspace as it saw it: host paths. */
  readonly written: string
  readonly merged: string
  /** The stage as the command saw it. */
  readonly overlay: Overlay
  /** Whether a path is not to be staged, but left to the session's later commands. */
  readonly isKept: (path: RelPath, isDirectory: boolean) => boolean
  /** Paths the command could not see. */
  readonly closed: ReadonlySet<RelPath>
}

/** Read without following a link, and without waiting for who writes a FIFO. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Segments of a path: what is judged by its every part must have few. */
const DEEPEST = 256

/** As readEffects; a tree too deep for a path, say, is told in words. */
export function effectsIn(deps: Parameters<typeof readEffects>[0]): ReturnType<typeof readEffects> {
  try {
    return readEffects(deps)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new EscrowError(
      'unsupported',
      `What the command left could not be read, and none of it was staged: ${message}`,
      {
        cause: error,
      },
    )
  }
}

/** What differs from the stage, in proportion to what was written. */
function readEffects(deps: EffectsDeps): Effects {
  const effects: Effect[] = []
  const kept: RelPath[] = []
  const walk = (dir: RelPath): void => {
    const names = new Set<string>()
    for (const name of namesIn(`${deps.written}/${dir}`)) {
      names.add(name)
      look(childOf(dir, name), name)
    }
    if (deps.overlay.typeOf(dir) === 'dir') goneBelow(dir, names)
  }
  const look = (path: RelPath, name: string): void => {
    if (path.split('/').length > DEEPEST) throw new Error(`a directory lies deeper than ${DEEPEST} others.`)
    const stats = lstatSync(`${deps.written}/${path}`, { throwIfNoEntry: false })
    if (!stats) {
      // Of all of them at once: here they have one name.
      const dir = parentOf(path)
      if (!effects.some((each) => each.kind === 'unnamed' && each.path === dir))
        effects.push({ kind: 'unnamed', path: dir })
      return
    }
    const isGone = stats.isCharacterDevice() && stats.rdev === 0
    if (name === '.git') {
      effects.push({ kind: 'git', path, count: isGone ? 1 : countGit(`${deps.written}/${path}`, stats) })
      return
    }
    if (deps.isKept(path, stats.isDirectory())) kept.push(path)
    else if (isGone) effects.push({ kind: 'gone', path })
    else if (stats.isDirectory()) {
      effects.push({ kind: 'dir', path, mode: stats.mode & 0o7777, isNew: deps.overlay.typeOf(path) !== 'dir' })
      walk(path)
    } else effects.push(leafOf(path, `${deps.written}/${path}`, stats))
  }
  /** A directory that was made anew in the place of another hides all that was in it, and leaves no sign Node can read. */
  const goneBelow = (dir: RelPath, written: ReadonlySet<string>): void => {
    const before = deps.overlay.names(dir).filter((name) => !written.has(name) && !deps.closed.has(childOf(dir, name)))
    if (before.length === 0) return
    const seen = new Set(readdirSync(`${deps.merged}/${dir}`))
    for (const name of before) if (!seen.has(name)) effects.push({ kind: 'gone', path: childOf(dir, name) })
  }
  walk(ROOT)
  return { effects, kept }
}

/** The layer is ours: what its command made unreadable is made readable here. */
function namesIn(host: string): string[] {
  opened(host, 0o700)
  return readdirSync(host)
}

function opened(host: string, bits: number): void {
  const mode = lstatSync(host).mode & 0o7777
  if ((mode & bits) !== bits) chmodSync(host, mode | bits)
}

function leafOf(path: RelPath, host: string, stats: Stats): Effect {
  if (stats.isSymbolicLink()) return { kind: 'symlink', path, target: readlinkSync(host) }
  if (!stats.isFile()) return { kind: 'other', path, what: whatIs(stats) }
  const read = () => {
    opened(host, 0o400)
    return readFileSync(host, { flag: READ_FLAGS as unknown as string })
  }
  return { kind: 'file', path, mode: stats.mode & 0o7777, size: stats.size, ino: stats.ino, read }
}

function whatIs(stats: Stats): string {
  if (stats.isFIFO()) return 'a FIFO'
  if (stats.isSocket()) return 'a socket'
  return stats.isBlockDevice() || stats.isCharacterDevice() ? 'a device' : 'no file'
}

/** Changed files below a `.git`; git's own refresh of its index counts for nothing. */
function countGit(host: string, stats: Stats, depth = 0): number {
  if (!stats.isDirectory()) return 1
  let count = 0
  for (const name of namesIn(host)) {
    if (depth === 0 && (name === 'index' || name === 'index.lock')) continue
    count += countGit(`${host}/${name}`, lstatSync(`${host}/${name}`), depth + 1)
  }
  return count
}
