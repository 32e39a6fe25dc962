import { openWorkspace } from '../../src/index.js'

/** Runs a program in this process's own terminal. The test kills this process meanwhile. */

const [root = '', command = ''] = process.argv.slice(2)
const workspace = await openWorkspace(root)
const session = await workspace.session({ id: 'killed' })
await session.selectIntent('INT-001')
await session.run(command)
