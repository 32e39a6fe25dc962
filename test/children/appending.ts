/** Appends records in a separate process: ROOT WHO COUNT BATCH [nolock]. */
import { layoutAt } from '../../src/os/workspace-state.js'
import { newDraft, openLedger } from '../../src/trace/index.js'

const [root = '', who = '', count = '0', batch = '1', nolock] = process.argv.slice(2)
const ledger = openLedger(layoutAt(root), nolock === 'nolock' ? { lock: async (_, __, work) => work(() => true) } : {})
for (let n = 0; n < Number(count); n += Number(batch)) {
  const drafts = Array.from({ length: Number(batch) }, (_, k) =>
    newDraft({ type: 'tool_call', intent: null, session: who, reqId: `${who}-${n + k}` }),
  )
  await ledger.append(drafts)
}
