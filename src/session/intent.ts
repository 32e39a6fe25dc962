import type { ClaimOverlap, Intent, IntentContext } from '../core/api.js'
import { apiErrorOf, EscrowError } from '../core/api-error.js'
import { selectable, selectableIds } from '../core/intents-state.js'
import type { ToolContext } from '../core/tool-context.js'
import { intentContext } from '../intents/index.js'
import type { Policy } from '../policy/index.js'
import type { LedgerOutbox } from '../stage/index.js'
import { SessionClaims } from './claims.js'
import type { SessionDeps } from './deps.js'
import type { SessionState } from './state.js'

/** The intent that a session works under: selects, claims, records and clears it. */
export class SessionIntent {
  readonly #claims: SessionClaims

  constructor(
    private readonly deps: SessionDeps,
    private readonly state: SessionState,
    private readonly policy: Pick<Policy, 'settings'>,
    private readonly outbox: LedgerOutbox,
    private readonly tool: () => ToolContext | undefined,
  ) {
    this.#claims = new SessionClaims(deps.layout, deps.id, () => deps.registry.state())
  }

  /** The selected intent, as the registry has it now. */
  get current(): Intent | undefined {
    return this.state.intentId === undefined ? undefined : this.#findIntent(this.state.intentId)
  }

  /** The intents that can be selected now. */
  selectable(): Intent[] {
    const state = this.deps.registry.state()
    return selectableIds(state).flatMap((id) => (state.ok ? (state.intents.get(id) ?? []) : []))
  }

  /** @throws EscrowError `unknown_intent`, `intent_not_active`, `intent_ignored`, `claimed`, `policy_invalid` */
  async select(id: string): Promise<IntentContext> {
    const { registry, versions, memories } = this.deps
    const denial = selectable(registry.state(), id)
    if (denial) {
      this.outbox.recordDenial(denial, this.state.intentId)
      throw apiErrorOf(denial)
    }
    const overlaps = await this.#claim(id)
    const claims =
      overlaps.length > 0
        ? { claims: overlaps.map(({ session, intentId, path }) => ({ session, intent_id: intentId, path })) }
        : {}
    const reqId = this.tool()?.callId ?? null
    const intent = await versions.edit(
      (edits) => edits.start(id),
      (_, data) => {
        this.state.intentId = id
        return this.outbox.append('intent_selected', id, { reqId, data: { ...claims, ...data } })
      },
    )
    const memory = memories.of(id, this.policy.settings()?.lessonsFile)
    const context = intentContext(intent, memory)
    return overlaps.length === 0 ? context : { ...context, overlaps }
  }

  async clear(): Promise<IntentContext> {
    const cleared = this.state.intentId
    this.state.intentId = undefined
    if (cleared !== undefined) {
      this.#claims.release()
      await this.outbox.append('intent_cleared', cleared)
    }
    return intentContext(undefined)
  }

  async #claim(id: string): Promise<ClaimOverlap[]> {
    const intent = this.#findIntent(id)
    if (!intent) return []
    try {
      return await this.#claims.acquire(intent, this.policy.settings()?.claims ?? 'warn')
    } catch (error) {
      if (error instanceof EscrowError && error.reason === 'claimed')
        this.outbox.recordDenial({ reason: 'claimed', message: error.message, intentId: id }, this.state.intentId)
      throw error
    }
  }

  #findIntent(id: string): Intent | undefined {
    const state = this.deps.registry.state()
    return state.ok ? state.intents.get(id) : undefined
  }
}
