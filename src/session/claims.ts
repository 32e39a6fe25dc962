import { existsSync, readdirSync } from 'node:fs'
import { codeOf } from '../../overlay/index.js'
import type { ClaimOverlap, Intent } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { IntentsState } from '../core/intents-state.js'
import type { Layout } from '../core/layout.js'
import { assertHeld, withProcessLock } from '../os/lock.js'
import { isOwned } from '../os/owner.js'
import { readSmall } from '../os/read.js'
import { removeName, replaceDurable } from '../os/write.js'
import { sharedPath } from '../policy/index.js'

/**
 * Records which session works on which intent's scope. A claim is a file in the session's directory. It ends when the session
 * selects another intent, or when the process that owns the session ends.
 */
export class SessionClaims {
  constructor(
    private readonly layout: Layout,
    private readonly sessionId: string,
    private readonly intents: () => IntentsState,
  ) {}

  /**
   * Claims an intent's scope.
   * @returns the overlaps with claims of other sessions
   * @throws EscrowError `claimed` for an overlap if policy says `refuse`
   */
  async acquire(intent: Intent, policy: 'warn' | 'refuse'): Promise<ClaimOverlap[]> {
    // A session without a directory is visible to no other process.
    if (!existsSync(this.layout.session(this.sessionId).dir)) return []
    return withProcessLock(this.layout.locks, 'claims', (lost) => {
      const overlaps = this.#otherClaims().flatMap((claim) => this.#overlapsWith(intent, claim))
      const [first] = overlaps
      if (first && policy === 'refuse') throw claimedError(intent, first)
      const claim: Claim = { intent: intent.id }
      // Another session may have claimed the same scope since.
      assertHeld(lost, 'the claims of scopes')
      replaceDurable(this.#file(), JSON.stringify(claim))
      return overlaps
    })
  }

  release(): void {
    removeName(this.#file())
  }

  #file(): string {
    return this.layout.session(this.sessionId).claim
  }

  #otherClaims(): { readonly session: string; readonly intent: string }[] {
    return readdirSync(this.layout.sessions)
      .filter((session) => session !== this.sessionId && isOwned(this.layout.session(session).owner))
      .flatMap((session) => {
        const intent = readClaim(this.layout.session(session).claim)?.intent
        return intent === undefined ? [] : [{ session, intent }]
      })
  }

  /** Compares with the other intent's current scope, not the scope at the time of its claim. */
  #overlapsWith(mine: Intent, other: { readonly session: string; readonly intent: string }): ClaimOverlap[] {
    const state = this.intents()
    const scope = state.ok ? state.intents.get(other.intent)?.ownedScope : undefined
    const path = scope && sharedPath(mine.ownedScope, scope)
    return path === undefined ? [] : [{ session: other.session, intentId: other.intent, path }]
  }
}

/** The intent that a claim file names. */
export function claimedIntent(file: string): string | undefined {
  return readClaim(file)?.intent
}

const MAX_CLAIM_BYTES = 64 * 1024

interface Claim {
  readonly intent: string
}

/** A damaged file counts as no claim: claims inform people, they protect nothing. */
function readClaim(file: string): Claim | undefined {
  try {
    const value: unknown = JSON.parse(readSmall(file, MAX_CLAIM_BYTES))
    const intent = typeof value === 'object' && value !== null && 'intent' in value ? value.intent : undefined
    return typeof intent === 'string' ? { intent } : undefined
  } catch (error) {
    if (error instanceof SyntaxError || ['ENOENT', 'EINVAL', 'EFBIG'].includes(codeOf(error) ?? '')) return undefined
    throw error
  }
}

function claimedError(intent: Intent, { session, intentId, path }: ClaimOverlap): EscrowError {
  const message = `Claimed: session ${session} works on ${intentId}, which owns ${path} as ${intent.id} does.`
  return new EscrowError('claimed', message, {
    hint: 'Wait until that session ends, or ask a person to separate the two scopes.',
  })
}
