import { openWorkspace } from '../../src/index.js'

/** Runs a script in each way a session starts commands, and prints the outputs: node descriptors.js <root> <script>. */

const [root = '', script = ''] = process.argv.slice(2)
const workspace = await openWorkspace(root)
await workspace.accept((await workspace.trust()).digest)
const session = await workspace.session({ id: 'probing' })
await session.selectIntent('INT-001')
const { stdout, stderr } = await session.exec(`{ ${script}; } 2>&1`)
console.log(`exec ${stdout}${stderr}`)
const started = await session.start(`{ ${script}; } 2>&1`)
await started.wait()
console.log(`start ${started.read().text}`)
await session.run(`echo run $({ ${script}; } 2>&1)`)
await session.close()
await workspace.close()
