import type { Session } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { type IntentsState, selectable } from '../core/intents-state.js'
import type { LedgerStore } from '../trace/index.js'

/** A directory that is no workspace is not made one by what was refused in it. */
export function unwritten(ledger: LedgerStore): LedgerStore {
  return { ...ledger, append: async () => [] }
}

/** Under the intent the registry calls active, where it can be; else the refusal of the first write says why not. */
export async function beginNamed(session: Session, state: IntentsState): Promise<void> {
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
