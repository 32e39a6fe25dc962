import { childOf, codeOf, digest, MAX_FILE_SIZE, nameOf, type Overlay, type RelPath } from '../../overlay/index.js'
import type { Effect, FileEffect } from './effects.js'
import { Unsettled } from './layer.js'

/**
 * Finds the renames among a command's effects: a removed file, and a new file with its content. The kernel leaves no other sign of a
 * rename in the layer.
 * @param overlay the stage as it was before the command.
 * @param isStaleTree whether the contents of a directory have changed since the command saw them.
 */
export function findRenames(
  effects: readonly Effect[],
  overlay: Overlay,
  isStaleTree: (dir: RelPath) => boolean,
): [Effect, FileEffect][] {
  return new RenameFinder(overlay, isStaleTree).pairs(effects)
}

/** A removed file with the digest of its content. */
interface Gone {
  readonly from: Effect
  readonly size: number
  readonly content: string
}

class RenameFinder {
  constructor(
    private readonly overlay: Overlay,
    private readonly isStaleTree: (dir: RelPath) => boolean,
  ) {}

  pairs(effects: readonly Effect[]): [Effect, FileEffect][] {
    const created = this.#createdBySize(effects)
    const gone = this.#goneOfSizes(effects, created)
    const sizes = new Set(gone.map(({ size }) => size))
    const candidates = [...sizes].flatMap((size) => created.get(size) ?? [])
    const found = new Map<Gone, FileEffect>()
    const taken = new Set<FileEffect>()
    // Matches files that kept their names first. Otherwise, a file with another name could be taken for one of them.
    const keys = [
      (content: string, path: RelPath) => `${content} ${nameOf(path)}`,
      (content: string) => content,
    ] as const
    const digests = new Map(candidates.map((each) => [each, digestOf(each)]))
    for (const keyOf of keys) {
      const byKey = new Map<string, FileEffect[]>()
      // From the last to the first, so that `pop` gives the first.
      for (const each of candidates.toReversed()) {
        const content = digests.get(each)
        if (content !== undefined && !taken.has(each)) listAt(byKey, keyOf(content, each.path)).push(each)
      }
      for (const each of gone) {
        const to = found.has(each) ? undefined : byKey.get(keyOf(each.content, each.from.path))?.pop()
        if (to === undefined) continue
        found.set(each, to)
        taken.add(to)
      }
    }
    return gone.flatMap((each): [Effect, FileEffect][] => {
      const to = found.get(each)
      return to === undefined ? [] : [[each.from, to]]
    })
  }

  /** The new files that may be renamed ones, by their sizes. */
  #createdBySize(effects: readonly Effect[]): Map<number, FileEffect[]> {
    const created = new Map<number, FileEffect[]>()
    for (const effect of effects)
      if (
        effect.kind === 'file' &&
        effect.size > 0 &&
        effect.size <= MAX_FILE_SIZE &&
        this.overlay.typeOf(effect.path) === undefined
      )
        listAt(created, effect.size).push(effect)
    return created
  }

  /** The removed files whose size a new file has. */
  #goneOfSizes(effects: readonly Effect[], created: ReadonlyMap<number, unknown>): Gone[] {
    if (created.size === 0) return []
    const gone: Gone[] = []
    for (const effect of effects) {
      if (effect.kind !== 'gone') continue
      for (const path of this.#filesIn(effect.path)) {
        const from = path === effect.path ? effect : { kind: 'gone' as const, path }
        gone.push(...ifReadable(() => this.#withContent(from, path, created)))
      }
    }
    return gone
  }

  #withContent(from: Effect, path: RelPath, created: ReadonlyMap<number, unknown>): Gone[] {
    const size = this.overlay.lstat(path)?.size ?? 0
    return created.has(size) ? [{ from, size, content: digest(this.overlay.read(path)) }] : []
  }

  #filesIn(path: RelPath): RelPath[] {
    const { overlay } = this
    return ifReadable(() => {
      const type = overlay.typeOf(path)
      if (type === 'file') return [path]
      if (type !== 'dir' || this.isStaleTree(path)) return []
      return overlay.readdir(path).flatMap(({ name }) => this.#filesIn(childOf(path, name)))
    })
  }
}

/** Nothing for a file or directory on disk that this user may not read. */
function ifReadable<T>(find: () => T[]): T[] {
  try {
    return find()
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return []
  }
}

/** Undefined while the file is being written. */
function digestOf(effect: FileEffect): string | undefined {
  try {
    return digest(effect.read())
  } catch (error) {
    if (error instanceof Unsettled) return undefined
    throw error
  }
}

function listAt<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}
