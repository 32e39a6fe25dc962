import type { Session } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { type IntentsState, selectable } from '../core/intents-state.js'
import type { StageStore } from '../stage/index.js'
import type { LedgerStore } from '../trace/index.js'

/** A directory that is no workspace is not made one by what was refused in it. */
export function unwritten(ledger: LedgerStore): LedgerStore {
  return { ...ledger, append: async () => [] }
}

/** Does the first work on a stage. What cannot be opened nobody gets to close, so it is closed here. */
export function beginOrClose(store: Pick<StageStore, 'close'>, begin: () => unknown): void {
  try {
    begin()
  } catch (error) {
    store.close()
    throw error
  }
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
