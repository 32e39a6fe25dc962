import { type RelPath, type Stage, stagedBytes } from '../../overlay/index.js'
import type { Access } from '../core/decision.js'
import { type Denial, Denied } from '../core/denials.js'
import type { Limits } from '../policy/index.js'

const MINUTE_MS = 60_000
const SLICES = 60

/** What a session has staged now. */
export interface Staged {
  /** Asked each time: a snapshot keeps the ones there are, and the stage goes on with others. */
  paths(): { readonly size: number; has(path: string): boolean }
  /** Bytes of content; counts all of it. */
  bytes(): number
  /** Bytes of the file staged at a path; 0 where none is. */
  sizeAt(path: RelPath): number
}

/** What a stage holds, for {@link SessionLimits}. */
export function stagedIn(stage: Stage): Staged {
  return {
    paths: () => stage.bases,
    bytes: () => stagedBytes(stage.tree.root),
    sizeAt: (path) => stage.tree.find(path).node?.inode?.size ?? 0,
  }
}

/** What one session may stage and how fast, by `limits` of policy.yaml. */
export class SessionLimits {
  /** Writes by the second they were made in, of the last minute. */
  readonly #counts = new Map<number, number>()

  /** No more is staged than this; undefined: nobody knows. */
  #bytesAtMost: number | undefined

  /** @param now milliseconds of a clock that never goes back. */
  constructor(
    private readonly staged: Staged,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts a write that nothing else refuses, or says which limit it would pass. */
  take({ path, asked }: Access, { files, opsPerMinute }: Limits): Denial | undefined {
    const paths = this.staged.paths()
    if (files !== undefined && paths.size >= files && !paths.has(path))
      return limitExceeded(
        asked,
        'files',
        files,
        `${paths.size} paths are staged`,
        'Ask a person to review them, or revert some.',
      )
    if (opsPerMinute === undefined) return undefined
    const count = this.#lastMinute()
    if (count >= opsPerMinute)
      return limitExceeded(
        asked,
        'ops_per_minute',
        opsPerMinute,
        `${count} paths were written in the last minute`,
        'Wait, then go on.',
      )
    const slice = this.#slice()
    this.#counts.set(slice, (this.#counts.get(slice) ?? 0) + 1)
    return undefined
  }

  /** Lets the staged content grow, unless that would pass the limit. Counting all of it is put off as long as it can be. */
  grow(path: string, by: number, limit: number | undefined): Denial | undefined {
    if (limit === undefined) this.#bytesAtMost = undefined
    if (limit === undefined || by === 0) return undefined
    if (this.#bytesAtMost === undefined || this.#bytesAtMost + by > limit) this.#bytesAtMost = this.staged.bytes()
    const after = this.#bytesAtMost + by
    if (after > limit) {
      const now = `${after} bytes would be staged`
      return limitExceeded(path, 'bytes', limit, now, 'Ask a person to review what is staged, or revert some.')
    }
    this.#bytesAtMost = after
    return undefined
  }

  /**
   * A staged file is about to have this many bytes.
   * @throws Denied `limit_exceeded`
   */
  assertRoom(path: RelPath, size: number, limits: Limits | undefined): void {
    const limit = limits?.bytes
    const has = limit === undefined ? 0 : this.staged.sizeAt(path)
    const denial = this.grow(path, Math.max(0, size - has), limit)
    if (denial) throw new Denied(denial)
  }

  /** More may be staged than was counted: by a reviewer, or by travelling. */
  recount(): void {
    this.#bytesAtMost = undefined
  }

  #slice(): number {
    return Math.floor((this.now() * SLICES) / MINUTE_MS)
  }

  #lastMinute(): number {
    const oldest = this.#slice() - SLICES
    let sum = 0
    for (const [slice, count] of this.#counts) {
      if (slice <= oldest) this.#counts.delete(slice)
      else sum += count
    }
    return sum
  }
}

function limitExceeded(file: string, limit: string, most: number, now: string, hint: string): Denial {
  const message = `Limit Exceeded: ${now}; limits.${limit} in policy.yaml allows ${most}.`
  return { reason: 'limit_exceeded', file, message, hint }
}
