import { openWorkspace } from '../../src/index.js'

/** Runs a command in exec, and prints its output. The test kills this process meanwhile. */

const [root = '', command = ''] = process.argv.slice(2)
const workspace = await openWorkspace(root)
const session = await workspace.session({ id: 'killed' })
await session.selectIntent('INT-001')
await session.exec(command, { onOutput: (chunk) => process.stdout.write(chunk) })
console.log('ended')
