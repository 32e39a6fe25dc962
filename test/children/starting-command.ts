import { openWorkspace } from '../../src/index.js'

/** Starts a background command, and prints its output. The test kills this process meanwhile. */

const [root = '', command = ''] = process.argv.slice(2)
const workspace = await openWorkspace(root)
const session = await workspace.session({ id: 'killed' })
await session.selectIntent('INT-001')
const running = await session.start(command)
for (let next = 0; ; ) {
  const output = running.read(next)
  next = output.next
  process.stdout.write(output.text)
  await new Promise((resolve) => setTimeout(resolve, 10))
}
