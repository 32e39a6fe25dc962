/** Prints "ready", then finishes an interrupted commit, and prints "done": ROOT */
import { writeSync } from 'node:fs'
import { recover } from '../../src/commit/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { openLedger, parseDraft } from '../../src/trace/index.js'

const [root = ''] = process.argv.slice(2)
const layout = layoutAt(root)
const ledger = openLedger(layout)
writeSync(1, 'ready\n')
await recover(layout, async (record) => {
  await ledger.appendOnce(parseDraft(record))
})
writeSync(1, 'done\n')
