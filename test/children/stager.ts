/**
 * Calls a session until it is killed, one call after the other, and prints the number of each call that returned: ROOT
 * FROM.
 */
import { writeSync } from 'node:fs'
import { openWorkspace } from '../../src/index.js'
import { stepOf } from './steps.js'

const [root = '', from = '1'] = process.argv.slice(2)
const workspace = await openWorkspace(root)
const session = await workspace.session({ id: 'agent' })
await session.selectIntent('INT-001')
for (let n = Number(from); ; n += 1) {
  const { op, path, to, data, name } = stepOf(n)
  const run = async () => {
    if (op === 'snapshot') await session.snapshot(name)
    else if (op === 'travel') {
      const found = (await session.snapshots()).findLast((each) => each.name === name)
      if (found) await session.travel(found.id)
    } else if (op === 'write') session.fs.writeFileSync(path, data)
    else if (op === 'append') session.fs.appendFileSync(path, data)
    else if (op === 'remove') session.fs.rmSync(path, { force: true })
    else if (session.fs.existsSync(path)) session.fs.renameSync(path, to)
  }
  if (n % 5 === 0) await session.toolCall({ tool: 'any', kind: 'edit', id: `${n} of ${process.pid}` }, run)
  else await run()
  writeSync(1, `${n}\n`)
}
