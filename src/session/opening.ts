import type { Session } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { type IntentsState, selectable } from '../core/intents-state.js'
import type { LedgerStore } from '../trace/index.js'

/** A ledger that appends nothing: denials in a directory without `.orchestration` must not create one. */
export function readOnlyLedger(ledger: LedgerStore): LedgerStore {
  return { ...ledger, append: async () => [] }
}

/** Selects the intent that the registry names as active. If that fails, the denial of the first write says why. */
export async function selectNamedIntent(session: Session, state: IntentsState): Promise<void> {
  const activeId = state.ok ? state.activeIntentId : undefined
  if (activeId === undefined || selectable(state, activeId)) return
  try {
    await session.selectIntent(activeId)
  } catch (error) {
    if (error instanceof EscrowError) return
    await session.close().catch(() => undefined)
    throw error
  }
}
