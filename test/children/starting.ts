import { openWorkspace } from '../../src/index.js'

/**
 * Runs a command in exec again and again, and prints a line before the second run. The test kills this process
 * meanwhile.
 */

const [root = ''] = process.argv.slice(2)
const workspace = await openWorkspace(root)
const session = await workspace.session({ id: 'killed' })
await session.selectIntent('INT-001')
await session.exec('true')
console.log('starts')
for (;;) await session.exec('sleep 0.005')
