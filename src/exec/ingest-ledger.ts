import {
  ancestorsOf,
  type CommittedPath,
  digest,
  type FileState,
  mergedState,
  type Overlay,
  type RelPath,
  ROOT,
} from '../../overlay/index.js'
import type { ApplyResult, Effect, Effects } from '../terminal/index.js'

const ABSENT = 'gone'
const DIRECTORY = 'dir'

/**
 * Which effects of a mount were ingested or refused before, so that a second look at the layer finds only new ones, and so
 * that a commit of the command's own work is not mistaken for somebody else's change.
 */
export class IngestLedger {
  /** Effects already ingested, keyed by path. */
  readonly #ingested = new Map<RelPath, string>()
  /** The digest of each file when it was last ingested. */
  readonly #latest = new Map<RelPath, string>()
  /** Effects already refused, keyed by path. */
  readonly #refused = new Map<RelPath, string>()
  /** Every content the command had at a path when it was ingested: a digest, {@link DIRECTORY} or {@link ABSENT}. */
  readonly #contents = new Map<RelPath, Set<string>>()
  /** The paths of `#contents` and their ancestors. */
  readonly #contentPaths = new Set<RelPath>()

  /** Records the outcome of applying effects. Paths on the way to a refused or busy one stay open: the next look tries them again. */
  record(effects: readonly Effect[], { refused, unsettled }: ApplyResult, overlay: Overlay): void {
    const denied = new Set(refused.map(({ path }) => path))
    for (const effect of effects) if (denied.has(effect.path)) this.#refused.set(effect.path, tokenOf(effect))
    const open = new Set<RelPath>()
    for (const path of [...refused.map((each) => each.path as RelPath), ...unsettled])
      for (const each of withAncestors(path)) open.add(each)
    for (const effect of effects) if (!open.has(effect.path)) this.#recordIngested(effect, overlay)
  }

  /** Records as ingested those effects that the stage holds already. */
  recordStaged(effects: readonly Effect[], overlay: Overlay): void {
    for (const effect of effects)
      if (isStaged(effect, mergedState(overlay, effect.path))) this.#recordIngested(effect, overlay)
  }

  #recordIngested(effect: Effect, overlay: Overlay): void {
    const { path, kind } = effect
    this.#ingested.set(path, tokenOf(effect))
    const state = kind === 'gone' ? null : mergedState(overlay, path)
    if (kind === 'file' && state !== null) this.#latest.set(path, state.digest)
    else this.#latest.delete(path)
    const contents = this.#contents.get(path) ?? new Set()
    this.#contents.set(path, contents.add(state === null ? ABSENT : kind === 'dir' ? DIRECTORY : state.digest))
    for (const each of withAncestors(path)) this.#contentPaths.add(each)
  }

  forget(path: RelPath): void {
    this.#ingested.delete(path)
  }

  /**
   * @param isAtRest the command has ended, so the contents of files are compared, too. A write through a mapping can leave a file's times as
   * they are, if the page was written to before.
   */
  isIngested(effect: Effect, isAtRest: boolean): boolean {
    if (this.#ingested.get(effect.path) !== tokenOf(effect)) return false
    return !isAtRest || effect.kind !== 'file' || isContent(effect, this.#latest.get(effect.path))
  }

  isRefused(effect: Effect): boolean {
    return this.#refused.get(effect.path) === tokenOf(effect)
  }

  /** Whether the state of a path, or its absence, came from this mount. */
  hasIngested(path: RelPath): boolean {
    return withAncestors(path).some(
      (each) => this.#ingested.has(each) && (each === path || this.#contents.get(each)?.has(ABSENT)),
    )
  }

  /**
   * Paths that were ingested and removed since. None is in a replaced directory, so the layer has no whiteout for them.
   * @param exists whether the layer still has a name.
   */
  removedSince({ effects, unsettled }: Effects, exists: (path: RelPath) => boolean): Effect[] {
    const found = new Set(effects.map(({ path }) => path))
    return [...this.#ingested].flatMap(([path, token]): Effect[] => {
      if (token === ABSENT || found.has(path) || exists(path)) return []
      return withAncestors(path).some((each) => unsettled.includes(each)) ? [] : [{ kind: 'gone', path }]
    })
  }

  hasContent(path: RelPath, content: string): boolean {
    return this.#contents.get(path)?.has(content) === true
  }

  /** Whether the command removed a path, or a directory that it was in. */
  hasRemoved(path: RelPath): boolean {
    return withAncestors(path).some((each) => this.hasContent(each, ABSENT))
  }

  /** Whether anything at or below a directory was ingested. */
  hasContentBelow(dir: RelPath): boolean {
    return dir === ROOT ? this.#contents.size > 0 : this.#contentPaths.has(dir)
  }

  /**
   * Whether a commit left at a path the content that the command has there: the command wrote it, or started with it.
   * @param seededState the state that the mount showed at a path when the command started.
   */
  isOwnCommit({ path, after }: CommittedPath, seededState: (path: RelPath) => string | undefined): boolean {
    const content = after === null ? ABSENT : after.type === 'dir' ? DIRECTORY : after.digest
    if (this.hasContent(path, content)) return true
    if (after === null && this.hasRemoved(path)) return true
    return seededState(path) === content
  }
}

/** A path and its ancestors. */
export function withAncestors(path: RelPath): RelPath[] {
  return [path, ...ancestorsOf(path)]
}

/** Equal for equal effects. */
function tokenOf(effect: Effect): string {
  if (effect.kind === 'file') return effect.stamp
  if (effect.kind === 'dir') return `${DIRECTORY} ${effect.mode}`
  return effect.kind === 'symlink' ? `link ${effect.target}` : effect.kind
}

/** False for a file that cannot be read: the next attempt to ingest it says why. */
function isContent(effect: Effect & { readonly kind: 'file' }, content: string | undefined): boolean {
  try {
    return digest(effect.read()) === content
  } catch {
    return false
  }
}

/** Whether the stage holds an effect. A file that the command is still writing cannot be read and counts as different. */
function isStaged(effect: Effect, staged: FileState | null): boolean {
  try {
    if (effect.kind === 'gone') return staged === null
    if (effect.kind === 'dir') return staged?.type === 'dir'
    if (effect.kind === 'symlink') return staged?.type === 'symlink' && staged.digest === digest(effect.target)
    return effect.kind === 'file' && staged?.type === 'file' && staged.digest === digest(effect.read())
  } catch {
    return false
  }
}
