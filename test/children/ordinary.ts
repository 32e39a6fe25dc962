import { openWorkspace } from '../../src/index.js'

/** Starts one command, runs another in this process's group, and prints both results. */

const [root = ''] = process.argv.slice(2)
const workspace = await openWorkspace(root)
await workspace.accept((await workspace.trust()).digest)
const session = await workspace.session({ id: 'ordinary' })
await session.selectIntent('INT-001')
const command = await session.start("trap 'exit 3' TERM; echo 1 > src/made; echo ready; while :; do sleep 0.02; done")
while (!command.read().text.includes('ready')) await new Promise((resolve) => setTimeout(resolve, 10))
const { effects } = await command.ingest()
const { exitCode } = await command.stop()
const ran = await session.run(
  'kill -KILL 0 2> /dev/null; chmod 000 src/made; mkdir src/closed; echo x > src/closed/f; chmod 000 src/closed',
)
const { changes } = await session.changes()
console.log(
  JSON.stringify({
    ...{ taken: effects.changes.map(({ path }) => path), stopped: exitCode, ran: ran.exitCode, refused: ran.refused },
    staged: changes.map(({ path }) => path),
  }),
)
await workspace.close()
