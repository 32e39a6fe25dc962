import { childOf, digest, MAX_FILE_SIZE, nameOf, type Overlay, type RelPath } from '../../overlay/index.js'
import type { Effect, FileEffect } from './effects.js'
import { Unsettled } from './layer.js'

export interface MovesDeps {
  /** The stage, as it was before the command. */
  readonly overlay: Overlay
  /** Whether what is in a directory is no longer what the command saw. */
  readonly isStaleTree: (dir: RelPath) => boolean
}

/** The renames among a command's effects: what is gone, and the new file that has its content. */
export function movesIn(effects: readonly Effect[], deps: MovesDeps): [Effect, FileEffect][] {
  return new Moves(deps).pairs(effects)
}

class Moves {
  /** Each new file is read once, however many that are gone it is compared with. */
  readonly #digests = new Map<FileEffect, string>()

  constructor(private readonly deps: MovesDeps) {}

  /** Files that are gone and new files with their content: the kernel tells a rename in the overlay in no other way. */
  pairs(effects: readonly Effect[]): [Effect, FileEffect][] {
    const { overlay } = this.deps
    const made = new Map<number, FileEffect[]>()
    for (const effect of effects)
      if (
        effect.kind === 'file' &&
        effect.size > 0 &&
        effect.size <= MAX_FILE_SIZE &&
        overlay.typeOf(effect.path) === undefined
      )
        ofItsSize(made, effect.size).push(effect)
    if (made.size === 0) return []
    const pairs: [Effect, FileEffect][] = []
    for (const effect of effects) {
      if (effect.kind !== 'gone') continue
      for (const path of this.#filesIn(effect.path)) {
        const to = this.#sameFile(path, made.get(overlay.lstat(path)?.size ?? 0) ?? [])
        if (to) pairs.push([path === effect.path ? effect : { kind: 'gone', path }, to])
      }
    }
    return pairs
  }

  /** Takes the new file with a path's content out of those of its size: best one of the same name. */
  #sameFile(path: RelPath, ofItsSize: FileEffect[]): FileEffect | undefined {
    if (ofItsSize.length === 0) return undefined
    const was = digest(this.deps.overlay.read(path))
    const isSame = (each: FileEffect) => this.#digestOf(each) === was
    const named = ofItsSize.findIndex((each) => nameOf(each.path) === nameOf(path) && isSame(each))
    const at = named < 0 ? ofItsSize.findIndex(isSame) : named
    return at < 0 ? undefined : ofItsSize.splice(at, 1)[0]
  }

  /** None where it is being written. */
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
    const { overlay } = this.deps
    const type = overlay.typeOf(path)
    if (type === 'file') yield path
    else if (type === 'dir' && !this.deps.isStaleTree(path))
      for (const { name } of overlay.readdir(path)) yield* this.#filesIn(childOf(path, name))
  }
}

function ofItsSize(made: Map<number, FileEffect[]>, size: number): FileEffect[] {
  const files = made.get(size) ?? []
  made.set(size, files)
  return files
}
