/** Holds a session until its input ends: ROOT ID. Prints "held" after it has staged its pid. */
import { openWorkspace } from '../../src/index.js'

const [root = '', id = ''] = process.argv.slice(2)
const workspace = await openWorkspace(root)
const session = await workspace.session({ id })
await session.selectIntent('INT-001')
session.fs.writeFileSync('src/held.ts', String(process.pid))
process.stdout.write('held\n')
process.stdin.resume()
process.stdin.on('end', () => workspace.close().then(() => process.exit(0)))
