import { openWorkspace } from '../../src/index.js'
import { keepOnly } from './only-provider.js'

/** Starts a background command without namespaces, and prints its process id: node alone.js <root>. */

keepOnly('landlock-copy')
const workspace = await openWorkspace(process.argv[2] ?? '')
const session = await workspace.session({ id: 'alone' })
await session.selectIntent('INT-001')
const command = await session.start('echo $$; exec sleep 600')
while (command.read().text === '') await new Promise((resolve) => setTimeout(resolve, 5))
console.log(command.read().text.trim())
setInterval(() => undefined, 60_000)
