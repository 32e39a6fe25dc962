import type { Session } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { type IntentsState, selectable } from '../core/intents-state.js'
import type { LedgerStore } from '../trace/index.js'

/** A ledger that appends nothing: denials in a directory without `.orchestration` must not create one. */
export function readOnlyLedger(ledger: LedgerStore): LedgerStore {
  return { ...ledger, append: async () => [] }
}

/** Selects the intent that the registry names as active. Where it cannot be selected, the denial of the first write says why. */
export async function selectNamedIntent(session: Session, state: IntentsState): Promise<void> {
  const named = state.ok ? state.activeIntentId : undefined
  if (named === undefined || selectable(state, named)) return
  try {
    await session.selectIntent(named)
  } catch (error) {
    if (error instanceof EscrowError) return
    await session.close().catch(() => undefined)
    throw error
  }
}
