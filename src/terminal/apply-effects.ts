import {
  type Attributes,
  ancestorsOf,
  childOf,
  codeOf,
  Errno,
  errnoText,
  MAX_FILE_SIZE,
  type Overlay,
  type RelPath,
  type WriteLayer,
} from '../../overlay/index.js'
import type { Refusal } from '../core/api-error.js'
import { Denied } from '../core/denials.js'
import { errorText } from '../core/error-text.js'
import type { ConflictCheck } from './conflict-check.js'
import type { Effect, FileEffect } from './effects.js'
import { findRenames } from './find-renames.js'
import { Unsettled } from './layer.js'

/** An effect that the stage did not accept, with the reason. */
export interface RefusedEffect extends Refusal {
  readonly effect: Effect
}

/** The stage behind the policy checks: each mutator is judged as a tool's write is, and runs `within` one operation. */
export interface CheckedStage {
  readonly layer: WriteLayer
  readonly within: <T>(work: () => T) => T
}

export interface ApplyResult {
  readonly refused: RefusedEffect[]
  /** Files that changed while they were read. They are neither applied nor refused. */
  readonly unsettled: RelPath[]
}

/**
 * Applies a command's effects to the stage one by one: directories, renames, removals, then contents in the order of writing.
 * @param startedAt when the command started (milliseconds). A file time before that, or in the future, was set on purpose, and is
 * staged; without it no times are staged.
 */
export function applyEffects(
  effects: readonly Effect[],
  stage: CheckedStage,
  overlay: Overlay,
  conflicts: ConflictCheck,
  startedAt?: number,
): ApplyResult {
  return new EffectApplier(stage, overlay, conflicts, startedAt).run(effects)
}

class EffectApplier {
  readonly #refused: RefusedEffect[] = []
  readonly #unsettled: RelPath[] = []
  /** Sources of refused renames: they are not removed either. */
  readonly #keptSources = new Set<RelPath>()

  constructor(
    private readonly stage: CheckedStage,
    private readonly overlay: Overlay,
    private readonly conflicts: ConflictCheck,
    private readonly startedAt: number | undefined,
  ) {}

  run(effects: readonly Effect[]): ApplyResult {
    const moves = findRenames(effects, this.overlay, (dir) => this.conflicts.isStaleTree(dir))
    const moved = new Set<Effect>(moves.flat())
    const remaining = effects.filter((effect) => !moved.has(effect))
    const inOrder = [...remaining].sort((a, b) => (a.path < b.path ? -1 : 1))
    for (const effect of inOrder) if (effect.kind === 'dir') this.#attempt(effect, () => this.#directory(effect))
    for (const pair of moves) this.#move(...pair)
    for (const effect of inOrder) if (effect.kind === 'gone') this.#removeTree(effect.path, effect)
    const first = new Map<number, RelPath>()
    for (const effect of inOrder.sort(byWriting)) {
      if (effect.kind === 'file') this.#attempt(effect, () => this.#file(effect, first))
      else if (effect.kind === 'symlink') this.#attempt(effect, () => this.#symlink(effect.path, effect.target))
      else if (effect.kind === 'other') this.#refuse(effect, 'unsupported', `${effect.path} is ${effect.description}.`)
      else if (effect.kind === 'unnamed')
        this.#refuse(effect, 'unsupported', `${effect.path || '.'} contains names that are not UTF-8.`)
      else if (effect.kind === 'git') this.#git(effect)
    }
    return { refused: this.#refused, unsettled: this.#unsettled }
  }

  // ---- each kind

  #directory({ path, mode, isNew }: Extract<Effect, { kind: 'dir' }>): void {
    const { overlay } = this
    const { layer } = this.stage
    if (isNew) {
      if (overlay.typeOf(path) !== undefined) layer.remove(path)
      layer.mkdir(path, mode)
    } else this.#mode(path, mode)
  }

  #file(effect: FileEffect, first: Map<number, RelPath>): void {
    const { path, mode, size, ino, read } = effect
    const { overlay } = this
    const { layer } = this.stage
    if (size > MAX_FILE_SIZE) throw new Errno('EFBIG')
    if (mode & 0o6000) throw new Unsupported(`${path} has a set-user-ID or set-group-ID bit.`)
    const type = overlay.typeOf(path)
    // Inode 0: the other names of the file are unknown.
    const twin = ino === 0 ? undefined : first.get(ino)
    if (type === undefined && twin !== undefined) {
      layer.link(twin, path)
      return
    }
    const data = read()
    if (type === 'dir' && !this.#removeTree(path)) throw new Unsupported(`${path} replaced a directory.`)
    if (type === 'symlink') layer.remove(path)
    if (type === 'file' && this.#isSame(path, data)) {
      this.#mode(path, mode)
      // A changed time alone needs no review, so a denial of it is not reported.
      this.#ignoreDenial(() => this.#time(effect))
    } else {
      layer.put(path, data, { mode })
      if (type === 'file') this.#mode(path, mode)
      this.#time(effect)
    }
    first.set(ino, path)
  }

  /** Stages a file time that the command set on purpose (`touch -d`, `cp -p`, `tar -x`). The stage dates ordinary writes itself. */
  #time({ path, mtimeMs }: FileEffect): void {
    const { startedAt } = this
    if (startedAt === undefined || mtimeMs === undefined) return
    if (mtimeMs >= startedAt - CLOCK_TICK_MS && mtimeMs <= Date.now() + CLOCK_TICK_MS) return
    const current = this.overlay.lstat(path)?.mtimeMs
    if (current === undefined || Math.abs(current - mtimeMs) < 1) return
    this.stage.layer.setattr(path, { mtimeNs: BigInt(Math.round(mtimeMs * 1e6)) })
  }

  #ignoreDenial(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof Denied)) throw error
    }
  }

  #symlink(path: RelPath, target: string): void {
    const { overlay } = this
    const { layer } = this.stage
    const type = overlay.typeOf(path)
    if (type === 'symlink' && overlay.readlink(path) === target) return
    if (type === 'dir' && !this.#removeTree(path)) throw new Unsupported(`${path} replaced a directory.`)
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
      `${files} in ${path} changed: only a person may change a repository's own files.`,
    )
  }

  #mode(path: RelPath, mode: number): void {
    const { overlay } = this
    const { layer } = this.stage
    if (((overlay.lstat(path)?.mode ?? 0) & 0o7777) === mode) return
    if (mode & 0o6000) throw new Unsupported(`${path} has a set-user-ID or set-group-ID bit.`)
    layer.setattr(path, { mode } satisfies Attributes)
  }

  #isSame(path: RelPath, data: Buffer): boolean {
    const { overlay } = this
    return overlay.lstat(path)?.size === data.length && overlay.read(path).equals(data)
  }

  /** Removes a tree, deepest first. A file that may not be removed stays, with its directories. */
  #removeTree(path: RelPath, effect: Effect = { kind: 'gone', path }): boolean {
    try {
      return this.#removeBelow(path, effect)
    } catch (error) {
      // A directory that this user may not read.
      this.#recordFailure(effect, error)
      return false
    }
  }

  #removeBelow(path: RelPath, effect: Effect): boolean {
    const { overlay } = this
    const { layer } = this.stage
    const type = overlay.typeOf(path)
    if (type === undefined) return true
    if (this.#keptSources.has(path)) return false
    if (type === 'dir' && !this.#attempt(effect, () => this.#assertSeen(path))) return false
    let isWhole = true
    if (type === 'dir')
      for (const { name } of overlay.readdir(path)) isWhole = this.#removeTree(childOf(path, name)) && isWhole
    if (!isWhole) return false
    return this.#attempt(effect, () => layer.remove(path))
  }

  #assertSeen(dir: RelPath): void {
    if (this.conflicts.isStaleTree(dir)) throw new Stale()
  }

  // ---- renames

  /** Refuses both names if either is refused: otherwise the content would be lost. */
  #move(from: Effect, to: FileEffect): void {
    const { layer } = this.stage
    try {
      this.#admit(from.path)
      this.#admit(to.path)
      this.stage.within(() => {
        layer.move(from.path, to.path)
        this.#mode(to.path, to.mode)
      })
    } catch (error) {
      this.#keptSources.add(from.path)
      for (const effect of [from, to]) this.#recordFailure(effect, error)
    }
  }

  // ---- refusals

  #attempt(effect: Effect, work: () => void): boolean {
    try {
      this.#admit(effect.path)
      this.stage.within(work)
      return true
    } catch (error) {
      this.#recordFailure(effect, error)
      return false
    }
  }

  #admit(path: RelPath): void {
    if (this.conflicts.isClosed(path)) throw new Closed()
    if (this.conflicts.isStale(path)) throw new Stale()
    const special = [path, ...ancestorsOf(path)].find((each) => this.overlay.typeOf(each) === 'other')
    if (special !== undefined)
      throw new Unsupported(`${special} is a FIFO, a socket or a device on disk, which only a person can remove.`)
  }

  #recordFailure(effect: Effect, error: unknown): void {
    const { path } = effect
    if (error instanceof Unsettled) this.#unsettled.push(path)
    else if (error instanceof Denied) this.#refuse(effect, error.denial.reason, error.denial.message)
    else if (error instanceof Stale)
      this.#refuse(effect, 'stale_file', `Stale File: ${path} changed on disk or in the stage while the command ran.`)
    else if (error instanceof Closed)
      this.#refuse(
        effect,
        'access_denied',
        `${path} is closed to commands, so the command's writes there are not staged.`,
      )
    else if (error instanceof Unsupported) this.#refuse(effect, 'unsupported', error.message)
    else if (error instanceof Errno && error.code === 'EFBIG')
      this.#refuse(effect, 'unsupported', `${path} is longer than 1 GiB, the most that one staged file may have.`)
    else this.#refuse(effect, 'unsupported', `${path} could not be staged: ${causeOf(error)}.`)
  }

  #refuse(effect: Effect, reason: string, message: string): void {
    this.#refused.push({ path: effect.path, reason, message, effect })
  }
}

/** Node's own message may name the layer by the address of a descriptor. */
function causeOf(error: unknown): string {
  const code = codeOf(error)
  return code === undefined ? errorText(error) : `${errnoText(code)} (${code})`
}

/** Files in the order of writing: the stage dates each as it is applied, and build tools compare the dates. */
function byWriting(a: Effect, b: Effect): number {
  return writtenAt(a) - writtenAt(b)
}

function writtenAt(effect: Effect): number {
  return effect.kind === 'file' ? (effect.mtimeMs ?? 0) : 0
}

/** The kernel dates files by its last clock tick, which may be this much before the start of the command. */
const CLOCK_TICK_MS = 20

class Unsupported extends Error {}
class Stale extends Error {}
class Closed extends Error {}
