import { existsSync, readdirSync } from 'node:fs'
import { codeOf } from '../../overlay/index.js'
import type { ClaimOverlap, Intent } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { IntentsState } from '../core/intents-state.js'
import type { Layout } from '../core/layout.js'
import { withProcessLock } from '../host/lock.js'
import { isOwned } from '../host/owner.js'
import { readSmall } from '../host/read.js'
import { removeName, replaceDurable } from '../host/write.js'
import { sharedPath } from '../policy/index.js'

/**
 * Claims: which session holds which intent's scope now. A claim is a file in the session's directory; it ends with the
 * selection, and with the process that owns the session.
 */
export class SessionClaims {
  constructor(
    private readonly layout: Layout,
    private readonly sessionId: string,
    private readonly intents: () => IntentsState,
  ) {}

  /**
   * Claims an intent's scope, unless `refuse` is asked for and another session holds part of it.
   * Resolves to the overlaps. Throws EscrowError `claimed`.
   */
  async take(intent: Intent, policy: 'warn' | 'refuse'): Promise<ClaimOverlap[]> {
    // Without a directory of its own the session is seen by nobody.
    if (!existsSync(this.layout.session(this.sessionId).dir)) return []
    return withProcessLock(this.layout.locks, 'claims', () => {
      const overlaps = this.#others().flatMap((claim) => this.#overlap(intent, claim))
      const [first] = overlaps
      if (first && policy === 'refuse') throw refusal(intent, first)
      replaceDurable(this.#file(), JSON.stringify({ intent: intent.id } satisfies Claim))
      return overlaps
    })
  }

  release(): void {
    removeName(this.#file())
  }

  #file(): string {
    return this.layout.session(this.sessionId).claim
  }

  #others(): { readonly session: string; readonly intent: string }[] {
    return readdirSync(this.layout.sessions)
      .filter((session) => session !== this.sessionId && isOwned(this.layout.session(session).owner))
      .flatMap((session) => {
        const intent = readClaim(this.layout.session(session).claim)?.intent
        return intent === undefined ? [] : [{ session, intent }]
      })
  }

  /** By the scope the other intent has now. */
  #overlap(mine: Intent, other: { readonly session: string; readonly intent: string }): ClaimOverlap[] {
    const state = this.intents()
    const scope = state.ok ? state.intents.get(other.intent)?.ownedScope : undefined
    const path = scope && sharedPath(mine.ownedScope, scope)
    return path === undefined ? [] : [{ session: other.session, intentId: other.intent, path }]
  }
}

/** The intent a claim's file names. */
export function claimedBy(file: string): string | undefined {
  return readClaim(file)?.intent
}

const MAX_CLAIM_BYTES = 64 * 1024

interface Claim {
  readonly intent: string
}

/** One that cannot be understood holds nothing: claims keep people informed, they guard nothing. */
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

function refusal(intent: Intent, { session, intentId, path }: ClaimOverlap): EscrowError {
  const message = `Claimed: session ${session} works on ${intentId}, which owns ${path} as ${intent.id} does.`
  return new EscrowError('claimed', message, {
    hint: 'Wait until that session has ended, or ask a person to part the two scopes.',
  })
}
