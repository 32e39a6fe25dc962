import {
  type Attributes,
  childOf,
  Errno,
  MAX_FILE_SIZE,
  type Overlay,
  type RelPath,
  type WriteLayer,
} from '../../overlay/index.js'
import type { Refusal } from '../core/api-error.js'
import { Denied } from '../core/denials.js'
import { movesIn } from './apply-moves.js'
import type { Effect, FileEffect } from './effects.js'
import { Unsettled } from './layer.js'

/** What a command did and the stage did not take. */
export interface RefusedEffect extends Refusal {
  readonly effect: Effect
}

export interface LandDeps {
  /** The stage behind the policy: each mutator is judged as a tool's write is. */
  readonly layer: WriteLayer
  /** The stage itself, to compare with. */
  readonly overlay: Overlay
  /** Runs one op on the layer. */
  readonly within: <T>(work: () => T) => T
  /** Whether a path is no longer what the command saw when it began. */
  readonly isStale: (path: RelPath) => boolean
  /** Whether what is in a directory is no longer what the command saw: it is not removed as a whole. */
  readonly isStaleTree: (dir: RelPath) => boolean
  /** Whether a path could not be seen by the command, itself or by a directory on the way. */
  readonly isClosed: (path: RelPath) => boolean
  /** When the command began (milliseconds). A file's time before that, or to come, was set by hand and is staged. */
  readonly began?: number
}

export interface Applied {
  readonly refused: RefusedEffect[]
  /** What was being written while it was read: as if it had not been found. */
  readonly unsettled: RelPath[]
}

/** Takes a command's effects into the stage, each by itself; answers those that are refused, with the reason. */
export function landEffects(effects: readonly Effect[], deps: LandDeps): Applied {
  return new EffectApplier(deps).run(effects)
}

class EffectApplier {
  readonly #refused: RefusedEffect[] = []
  readonly #unsettled: RelPath[] = []
  /** What a refused move would have taken away. */
  readonly #unmoved = new Set<RelPath>()

  constructor(private readonly deps: LandDeps) {}

  run(effects: readonly Effect[]): Applied {
    const moves = movesIn(effects, this.deps)
    const moved = new Set<Effect>(moves.flat())
    const left = effects.filter((effect) => !moved.has(effect))
    const inOrder = [...left].sort((a, b) => (a.path < b.path ? -1 : 1))
    for (const effect of inOrder) if (effect.kind === 'dir') this.#take(effect, () => this.#directory(effect))
    for (const pair of moves) this.#move(...pair)
    for (const effect of inOrder) if (effect.kind === 'gone') this.#removeTree(effect.path, effect)
    const first = new Map<number, RelPath>()
    for (const effect of inOrder.sort(byWriting)) {
      if (effect.kind === 'file') this.#take(effect, () => this.#file(effect, first))
      else if (effect.kind === 'symlink') this.#take(effect, () => this.#symlink(effect.path, effect.target))
      else if (effect.kind === 'other') this.#refuse(effect, 'unsupported', `${effect.path} is ${effect.what}.`)
      else if (effect.kind === 'unnamed')
        this.#refuse(effect, 'unsupported', `${effect.path || '.'} holds names that are no UTF-8.`)
      else if (effect.kind === 'git') this.#git(effect)
    }
    return { refused: this.#refused, unsettled: this.#unsettled }
  }

  // ---- each kind

  #directory({ path, mode, isNew }: Extract<Effect, { kind: 'dir' }>): void {
    const { layer, overlay } = this.deps
    if (isNew) {
      if (overlay.typeOf(path) !== undefined) layer.remove(path)
      layer.mkdir(path, mode)
    } else this.#mode(path, mode)
  }

  #file(effect: FileEffect, first: Map<number, RelPath>): void {
    const { path, mode, size, ino, read } = effect
    const { layer, overlay } = this.deps
    if (size > MAX_FILE_SIZE) throw new Errno('EFBIG')
    if (mode & 0o6000) throw new Refused(`${path} has a set-user-ID or set-group-ID bit.`)
    const type = overlay.typeOf(path)
    // 0: a file whose other names nobody knows.
    const twin = ino === 0 ? undefined : first.get(ino)
    if (type === undefined && twin !== undefined) {
      layer.link(twin, path)
      return
    }
    const data = read()
    if (type === 'dir' && !this.#removeTree(path)) throw new Refused(`${path} took the place of a directory.`)
    if (type === 'symlink') layer.remove(path)
    if (type === 'file' && this.#isSame(path, data)) {
      this.#mode(path, mode)
      // Times alone are nothing to review: where they may not be set, nothing is refused.
      this.#unlessDenied(() => this.#time(effect))
    } else {
      layer.put(path, data, { mode })
      if (type === 'file') this.#mode(path, mode)
      this.#time(effect)
    }
    first.set(ino, path)
  }

  /** Stages the time of a file where the command set it: by `touch -d`, `cp -p`, `tar -x`. A write's own time is the stage's. */
  #time({ path, mtimeMs }: FileEffect): void {
    const { layer, overlay, began } = this.deps
    if (began === undefined || mtimeMs === undefined) return
    if (mtimeMs >= began - CLOCK_TICK_MS && mtimeMs <= Date.now() + CLOCK_TICK_MS) return
    const is = overlay.lstat(path)?.mtimeMs
    if (is === undefined || Math.abs(is - mtimeMs) < 1) return
    layer.setattr(path, { mtimeNs: BigInt(Math.round(mtimeMs * 1e6)) })
  }

  #unlessDenied(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof Denied)) throw error
    }
  }

  #symlink(path: RelPath, target: string): void {
    const { layer, overlay } = this.deps
    const type = overlay.typeOf(path)
    if (type === 'symlink' && overlay.readlink(path) === target) return
    if (type === 'dir' && !this.#removeTree(path)) throw new Refused(`${path} took the place of a directory.`)
    if (type === 'file' || type === 'symlink') layer.remove(path)
    layer.symlink(target, path)
  }

  #git(effect: Extract<Effect, { kind: 'git' }>): void {
    const { path, count } = effect
    if (count === 0) return
    const files = count === 1 ? '1 file' : `${count} files`
    this.#refuse(
      effect,
      'protected_path',
      `${files} in ${path} changed: a repository's own files are for people to change.`,
    )
  }

  #mode(path: RelPath, mode: number): void {
    const { layer, overlay } = this.deps
    if (((overlay.lstat(path)?.mode ?? 0) & 0o7777) === mode) return
    if (mode & 0o6000) throw new Refused(`${path} has a set-user-ID or set-group-ID bit.`)
    layer.setattr(path, { mode } satisfies Attributes)
  }

  #isSame(path: RelPath, data: Buffer): boolean {
    const { overlay } = this.deps
    return overlay.lstat(path)?.size === data.length && overlay.read(path).equals(data)
  }

  /** A tree that is gone, the deepest first; what may not be removed stays, with the directories it is in. */
  #removeTree(path: RelPath, effect: Effect = { kind: 'gone', path }): boolean {
    const { layer, overlay } = this.deps
    const type = overlay.typeOf(path)
    if (type === undefined) return true
    if (this.#unmoved.has(path)) return false
    const own = type === 'dir' && effect.path !== path ? { kind: 'gone' as const, path } : effect
    if (type === 'dir' && !this.#take(own, () => this.#assertSeen(path))) return false
    let isWhole = true
    if (type === 'dir')
      for (const { name } of overlay.readdir(path)) isWhole = this.#removeTree(childOf(path, name)) && isWhole
    if (!isWhole) return false
    return this.#take(own, () => layer.remove(path))
  }

  #assertSeen(dir: RelPath): void {
    if (this.deps.isStaleTree(dir)) throw new Stale()
  }

  // ---- renames

  /** Refused as a whole where either name is: else the content would be nowhere. */
  #move(from: Effect, to: FileEffect): void {
    const { layer, within } = this.deps
    try {
      this.#admit(from.path)
      this.#admit(to.path)
      within(() => {
        layer.move(from.path, to.path)
        this.#mode(to.path, to.mode)
      })
    } catch (error) {
      this.#unmoved.add(from.path)
      for (const effect of [from, to]) this.#recordFailure(effect, error)
    }
  }

  // ---- refusals

  #take(effect: Effect, work: () => void): boolean {
    try {
      this.#admit(effect.path)
      this.deps.within(work)
      return true
    } catch (error) {
      this.#recordFailure(effect, error)
      return false
    }
  }

  #admit(path: RelPath): void {
    if (this.deps.isClosed(path)) throw new Closed()
    if (this.deps.isStale(path)) throw new Stale()
  }

  #recordFailure(effect: Effect, error: unknown): void {
    const { path } = effect
    if (error instanceof Unsettled) this.#unsettled.push(path)
    else if (error instanceof Denied) this.#refuse(effect, error.denial.reason, error.denial.message)
    else if (error instanceof Stale)
      this.#refuse(effect, 'stale_file', `Stale File: ${path} changed on disk or in the stage while the command ran.`)
    else if (error instanceof Closed)
      this.#refuse(effect, 'access_denied', `${path} is closed to commands: what it had in its place is not taken.`)
    else if (error instanceof Refused) this.#refuse(effect, 'unsupported', error.message)
    else if (error instanceof Errno && error.code === 'EFBIG')
      this.#refuse(effect, 'limit_exceeded', `Limit Exceeded: ${path} is larger than a stage holds.`)
    else
      this.#refuse(
        effect,
        'unsupported',
        `${path} could not be staged: ${error instanceof Error ? error.message : error}.`,
      )
  }

  #refuse(effect: Effect, reason: string, message: string): void {
    this.#refused.push({ path: effect.path, reason, message, effect })
  }
}

/** Files in the order in which the command wrote them: the stage gives its own times, and build tools compare them. */
function byWriting(a: Effect, b: Effect): number {
  return writtenAt(a) - writtenAt(b)
}

function writtenAt(effect: Effect): number {
  return effect.kind === 'file' ? (effect.mtimeMs ?? 0) : 0
}

/** The kernel dates files by the last tick of its clock. */
const CLOCK_TICK_MS = 20

class Refused extends Error {}
class Stale extends Error {}
class Closed extends Error {}
