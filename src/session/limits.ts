import { asRelPath, type RelPath, type Stage, stagedBytes } from '../../overlay/index.js'
import type { Access } from '../core/decision.js'
import { type Denial, Denied } from '../core/denials.js'
import type { Limits } from '../policy/index.js'

const MINUTE_MS = 60_000
const SLICES = 60

/** The size of a session's stage. */
export interface StageSize {
  /** Read at each call: after a snapshot the stage continues with another map. */
  paths(): { readonly size: number; has(path: string): boolean }
  /** The staged paths that are new directories. Walks all of them. */
  newDirectories(): number
  /** Bytes of content. Walks the whole stage. */
  bytes(): number
  /** Bytes of the file staged at a path; 0 if there is none. */
  sizeAt(path: RelPath): number
}

/** The size of a stage, for {@link SessionLimits}. */
export function sizeOf(stage: Stage): StageSize {
  return {
    paths: () => stage.bases,
    newDirectories: () => countNewDirectories(stage),
    bytes: () => stagedBytes(stage.tree.root),
    sizeAt: (path) => stage.tree.find(path).node?.inode?.size ?? 0,
  }
}

function countNewDirectories({ bases, tree }: Stage): number {
  let count = 0
  for (const [path, { state }] of bases)
    if (state === null && tree.find(asRelPath(path)).node?.inode?.type === 'dir') count += 1
  return count
}

/** Enforces `limits` of policy.yaml: how much one session may stage, and how fast. */
export class SessionLimits {
  /** Writes of the last minute, by second. */
  readonly #counts = new Map<number, number>()
  /** Announced writes that passed so far; undefined outside of {@link runAnnounced}. */
  #announced: number | undefined
  /** An upper bound of the paths staged without new directories; undefined if they must be counted. */
  #filesAtMost: number | undefined
  /** All staged paths when the bound was last adjusted. */
  #pathsSeen = 0
  /** An upper bound of the bytes staged; undefined if it must be counted. */
  #bytesAtMost: number | undefined

  /** @param now milliseconds of a monotonic clock */
  constructor(
    private readonly staged: StageSize,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Runs checks of writes that a tool call announces. Together they must fit the limits, but only the writes
   * themselves count later.
   */
  runAnnounced<T>(checks: () => T): T {
    this.#announced = 0
    try {
      return checks()
    } finally {
      this.#announced = undefined
    }
  }

  /** Counts a write, or refuses it by the limit that it would exceed. */
  countWrite(access: Access, { files, opsPerMinute }: Limits): Denial | undefined {
    const { asked } = access
    const full = this.#countFile(access, files)
    if (full !== undefined) return full
    if (opsPerMinute === undefined) return undefined
    const count = this.#countLastMinute()
    if (count + (this.#announced ?? 0) >= opsPerMinute)
      return limitExceeded(
        asked,
        'ops_per_minute',
        opsPerMinute,
        `${count} paths were written in the last minute`,
        'Wait a moment, then continue.',
      )
    if (this.#announced !== undefined) {
      this.#announced += 1
      return undefined
    }
    const slice = this.#currentSlice()
    this.#counts.set(slice, (this.#counts.get(slice) ?? 0) + 1)
    return undefined
  }

  /** A new directory has nothing to review, so it does not count. The paths are counted only when the upper bound reaches the limit. */
  #countFile({ effect, path, asked }: Access, limit: number | undefined): Denial | undefined {
    if (limit === undefined) {
      this.#filesAtMost = undefined
      return undefined
    }
    const paths = this.staged.paths()
    // A call may stage many paths, such as a moved directory, so the bound grows by what is staged, and not by calls.
    if (this.#filesAtMost !== undefined) this.#filesAtMost += Math.max(0, paths.size - this.#pathsSeen)
    this.#pathsSeen = paths.size
    if (effect === 'mkdir' || paths.has(path)) return undefined
    if (this.#filesAtMost === undefined || this.#filesAtMost >= limit)
      this.#filesAtMost = paths.size - this.staged.newDirectories()
    if (this.#filesAtMost < limit) return undefined
    const now = `${this.#filesAtMost} paths are staged, without new directories`
    return limitExceeded(asked, 'files', limit, now, 'Ask a person to review the changes, or revert some of them.')
  }

  /**
   * Adds bytes to the staged content, or refuses them. The content is counted only when the upper bound reaches the limit.
   * @param by bytes
   */
  addBytes(path: string, by: number, limit: number | undefined): Denial | undefined {
    if (limit === undefined) this.#bytesAtMost = undefined
    if (limit === undefined || by === 0) return undefined
    if (this.#bytesAtMost === undefined || this.#bytesAtMost + by > limit) this.#bytesAtMost = this.staged.bytes()
    const after = this.#bytesAtMost + by
    if (after > limit) {
      const now = `${after} bytes would be staged`
      return limitExceeded(
        path,
        'bytes',
        limit,
        now,
        'Ask a person to review the staged changes, or revert some of them.',
      )
    }
    this.#bytesAtMost = after
    return undefined
  }

  /**
   * Checks that a staged file may grow to a size in bytes.
   * @throws Denied `limit_exceeded`
   */
  assertRoom(path: RelPath, size: number, limits: Limits | undefined): void {
    const limit = limits?.bytes
    const has = limit === undefined ? 0 : this.staged.sizeAt(path)
    const denial = this.addBytes(path, Math.max(0, size - has), limit)
    if (denial) throw new Denied(denial)
  }

  /** Call it when something else changed the stage: a reviewer's edit, or travel to a snapshot. */
  recount(): void {
    this.#filesAtMost = undefined
    this.#bytesAtMost = undefined
  }

  #currentSlice(): number {
    return Math.floor((this.now() * SLICES) / MINUTE_MS)
  }

  #countLastMinute(): number {
    const oldest = this.#currentSlice() - SLICES
    let sum = 0
    for (const [slice, count] of this.#counts) {
      if (slice <= oldest) this.#counts.delete(slice)
      else sum += count
    }
    return sum
  }
}

function limitExceeded(file: string, limit: string, most: number, currently: string, hint: string): Denial {
  const message = `Limit Exceeded: ${currently}; limits.${limit} in policy.yaml allows ${most}.`
  return { reason: 'limit_exceeded', file, message, hint }
}
