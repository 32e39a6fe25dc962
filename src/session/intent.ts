import type { ClaimOverlap, Intent, IntentContext } from '../core/api.js'
import { apiErrorOf, EscrowError } from '../core/api-error.js'
import { selectable, selectableIds } from '../core/intents-state.js'
import type { Layout } from '../core/layout.js'
import type { ToolContext } from '../core/tool-context.js'
import { type IntentVersions, memoryOf } from '../history/index.js'
import { intentContext, type RegistryStore } from '../intents/index.js'
import type { Policy } from '../policy/index.js'
import type { LedgerOutbox } from '../stage/index.js'
import type { LedgerStore } from '../trace/index.js'
import { SessionClaims } from './claims.js'
import type { SessionState } from './state.js'

export interface SessionIntentDeps {
  readonly id: string
  readonly layout: Layout
  readonly registry: RegistryStore
  readonly versions: IntentVersions
  readonly ledger: LedgerStore
  readonly journal: LedgerOutbox
  readonly policy: Pick<Policy, 'settings'>
  readonly state: SessionState
  readonly tool: () => ToolContext | undefined
}

/** The intent a session works under: chosen, claimed, told to the ledger, and given up. */
export class SessionIntent {
  readonly #deps: SessionIntentDeps
  readonly #claims: SessionClaims

  constructor(deps: SessionIntentDeps) {
    this.#deps = deps
    this.#claims = new SessionClaims(deps.layout, deps.id, () => deps.registry.state())
  }

  /** As the registry has it now. */
  get current(): Intent | undefined {
    return this.#deps.state.intentId === undefined ? undefined : this.#findIntent(this.#deps.state.intentId)
  }

  /** Those that can be selected now. */
  choice(): Intent[] {
    const state = this.#deps.registry.state()
    return selectableIds(state).flatMap((id) => (state.ok ? (state.intents.get(id) ?? []) : []))
  }

  /** Throws EscrowError `unknown_intent`, `intent_not_active`, `intent_ignored`, `claimed`, `policy_invalid`. */
  async select(id: string): Promise<IntentContext> {
    const { layout, registry, versions, journal, ledger } = this.#deps
    const denial = selectable(registry.state(), id)
    if (denial) {
      journal.recordDenial(denial, this.#deps.state.intentId)
      throw apiErrorOf(denial)
    }
    const overlaps = await this.#claim(id)
    const claims = overlaps.length > 0 ? { claims: overlaps.map((each) => ({ ...each })) } : {}
    const reqId = this.#deps.tool()?.callId ?? null
    const intent = await versions.edit(
      (edits) => edits.start(id),
      (_, data) => {
        this.#deps.state.intentId = id
        return journal.append('intent_selected', id, { reqId, data: { ...claims, ...data } })
      },
    )
    const memory = await memoryOf(layout, ledger, id, this.#deps.policy.settings()?.lessonsFile)
    const context = intentContext(intent, memory)
    return overlaps.length === 0 ? context : { ...context, overlaps }
  }

  async clear(): Promise<IntentContext> {
    const cleared = this.#deps.state.intentId
    this.#deps.state.intentId = undefined
    if (cleared !== undefined) {
      this.#claims.release()
      await this.#deps.journal.append('intent_cleared', cleared)
    }
    return intentContext(undefined)
  }

  async #claim(id: string): Promise<ClaimOverlap[]> {
    const intent = this.#findIntent(id)
    if (!intent) return []
    try {
      return await this.#claims.take(intent, this.#deps.policy.settings()?.claims ?? 'warn')
    } catch (error) {
      if (error instanceof EscrowError && error.reason === 'claimed')
        this.#deps.journal.recordDenial(
          { reason: 'claimed', message: error.message, intentId: id },
          this.#deps.state.intentId,
        )
      throw error
    }
  }

  #findIntent(id: string): Intent | undefined {
    const state = this.#deps.registry.state()
    return state.ok ? state.intents.get(id) : undefined
  }
}
