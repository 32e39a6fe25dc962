import { openWorkspace } from '../../src/index.js'

/** Runs each command in one session, and prints the outcome of each and what is staged at the end. */

const [root = '', ...commands] = process.argv.slice(2)
const workspace = await openWorkspace(root)
await workspace.accept((await workspace.trust()).digest)
const session = await workspace.session({ id: 'ordinary' })
await session.selectIntent('INT-001')
const ran = []
for (const command of commands) {
  const { exitCode, refused } = await session.run(command)
  ran.push([command, exitCode, refused.map(({ path }) => path)])
}
const { changes } = await session.changes()
console.log(JSON.stringify({ ran, staged: changes.map(({ path, kind }) => `${kind} ${path}`).sort() }))
await workspace.close()
