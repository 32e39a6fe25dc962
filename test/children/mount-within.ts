/**
 * A host with a mount in its workspace: ROOT. Prints the result of a command there, which runs uncontained only if that
 * is allowed.
 */
import { openWorkspace } from '../../src/index.js'

const [root = ''] = process.argv.slice(2)
const workspace = await openWorkspace(root, { durability: 'memory' })
const session = await workspace.session({ id: 'host' })
await session.selectIntent('INT-001')
for (const options of [{}, { isolation: 'none' }] as const) {
  try {
    const { stdout, isolation } = await session.exec('cat src/deep/f; rm -r src/deep', options)
    console.log(`${isolation}: ${stdout.trim()}`)
  } catch (error) {
    console.log(`${error instanceof Error && Reflect.get(error, 'reason')}: ${error}`)
  }
}
console.log((await session.changes()).changes.map(({ kind, path }) => `${kind} ${path}`).join())
await workspace.close()
