import type { Access } from './core/decision.js'
import type { Denial } from './core/denials.js'
import type { Limits } from './policy/policy-schema.js'

const MINUTE_MS = 60_000
const SLICES = 60

/** What one session may stage and how fast, by `limits` of policy.yaml. */
export class SessionLimits {
  /** Writes by the second they were made in, of the last minute. */
  readonly #counts = new Map<number, number>()

  /**
   * @param staged the paths that are staged, and whether one is among them.
   * @param now milliseconds of a clock that never goes back.
   */
  constructor(
    private readonly staged: { readonly size: number; has(path: string): boolean },
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts a write that nothing else refuses, or says which limit it would pass. */
  take({ path, asked }: Access, { files, opsPerMinute }: Limits): Denial | undefined {
    if (files !== undefined && this.staged.size >= files && !this.staged.has(path))
      return passed(
        asked,
        'files',
        files,
        `${this.staged.size} paths are staged`,
        'Ask a person to review them, or revert some.',
      )
    if (opsPerMinute === undefined) return undefined
    const count = this.#lastMinute()
    if (count >= opsPerMinute)
      return passed(
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

function passed(file: string, limit: string, most: number, now: string, hint: string): Denial {
  const message = `Limit Exceeded: ${now}; limits.${limit} in policy.yaml allows ${most}.`
  return { reason: 'limit_exceeded', file, message, hint }
}
