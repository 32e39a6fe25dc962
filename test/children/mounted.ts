/**
 * A host in whose namespace the workspace is mounted a second time: ROOT OTHER. Prints the result of each operation
 * there, a line each.
 */
import { hostFs, openWorkspace } from '../../src/index.js'

const [root = '', other = ''] = process.argv.slice(2)
const workspace = await openWorkspace(root, { durability: 'memory' })
const session = await workspace.session({ id: 'host' })
const api = hostFs(session)
const operations: Record<string, () => unknown> = {
  write: () => api.writeFileSync(`${other}/src/a.ts`, 'x'),
  remove: () => api.rmSync(other, { recursive: true }),
  rename: () => api.promises.rename(`${other}/src/a.ts`, `${other}/src/b.ts`),
  'write beside': () => api.writeFileSync(`${other}/../beside`, 'x'),
}
for (const [name, operation] of Object.entries(operations)) {
  try {
    await operation()
    console.log(`${name}: done`)
  } catch (error) {
    console.log(`${name}: ${error instanceof Error ? Reflect.get(error, 'reason') : error}`)
  }
}
await workspace.close()
