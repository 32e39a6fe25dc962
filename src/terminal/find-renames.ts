import { childOf, digest, MAX_FILE_SIZE, nameOf, type Overlay, type RelPath } from '../../overlay/index.js'
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

/** A removed file, with the new files of its size. */
interface Gone {
  readonly from: Effect
  readonly content: string
  readonly candidates: FileEffect[]
}

class RenameFinder {
  /** Each new file is read once, however many removed files it is compared with. */
  readonly #digests = new Map<FileEffect, string>()

  constructor(
    private readonly overlay: Overlay,
    private readonly isStaleTree: (dir: RelPath) => boolean,
  ) {}

  pairs(effects: readonly Effect[]): [Effect, FileEffect][] {
    const { overlay } = this
    const created = new Map<number, FileEffect[]>()
    for (const effect of effects)
      if (
        effect.kind === 'file' &&
        effect.size > 0 &&
        effect.size <= MAX_FILE_SIZE &&
        overlay.typeOf(effect.path) === undefined
      )
        sameSize(created, effect.size).push(effect)
    if (created.size === 0) return []
    const gone: Gone[] = []
    for (const effect of effects) {
      if (effect.kind !== 'gone') continue
      for (const path of this.#filesIn(effect.path)) {
        const candidates = created.get(overlay.lstat(path)?.size ?? 0) ?? []
        if (candidates.length === 0) continue
        const from = path === effect.path ? effect : { kind: 'gone' as const, path }
        gone.push({ from, content: digest(overlay.read(path)), candidates })
      }
    }
    // Every file that kept its name comes first: else a file of another name could take its place.
    const found = new Map<Gone, FileEffect>()
    for (const isSameName of [true, false])
      for (const each of gone) {
        const to = found.has(each) ? undefined : this.#takeSameFile(each, isSameName)
        if (to) found.set(each, to)
      }
    return gone.flatMap((each): [Effect, FileEffect][] => {
      const to = found.get(each)
      return to === undefined ? [] : [[each.from, to]]
    })
  }

  /** Removes from the candidates a file with the content of the one that is gone. */
  #takeSameFile({ from, content, candidates }: Gone, isSameName: boolean): FileEffect | undefined {
    const at = candidates.findIndex(
      (each) => (!isSameName || nameOf(each.path) === nameOf(from.path)) && this.#digestOf(each) === content,
    )
    return at < 0 ? undefined : candidates.splice(at, 1)[0]
  }

  /** Undefined while the file is being written. */
  #digestOf(effect: FileEffect): string | undefined {
    try {
      const known = this.#digests.get(effect) ?? digest(effect.read())
      this.#digests.set(effect, known)
      return known
    } catch (error) {
      if (error instanceof Unsettled) return undefined
      throw error
    }
  }

  *#filesIn(path: RelPath): Generator<RelPath, undefined> {
    const { overlay } = this
    const type = overlay.typeOf(path)
    if (type === 'file') yield path
    else if (type === 'dir' && !this.isStaleTree(path))
      for (const { name } of overlay.readdir(path)) yield* this.#filesIn(childOf(path, name))
  }
}

function sameSize(created: Map<number, FileEffect[]>, size: number): FileEffect[] {
  const files = created.get(size) ?? []
  created.set(size, files)
  return files
}
