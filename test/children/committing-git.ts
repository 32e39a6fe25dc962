/**
 * Stages rounds of files and commits each with git, until it is killed. Prints each round after its commit: ROOT FROM.
 */
import { writeSync } from 'node:fs'
import { openWorkspace } from '../../src/index.js'
import { FILES } from './rounds.js'

const [root = '', from = '1'] = process.argv.slice(2)
const workspace = await openWorkspace(root)
const session = await workspace.session({ id: 'agent' })
await session.selectIntent('INT-001')
const review = await workspace.review('agent')
for (let round = Number(from); ; round += 1) {
  for (const path of FILES) session.fs.writeFileSync(path, `round ${round}\n`)
  await review.changes()
  await review.approve(undefined, { name: 'Ann' })
  await review.commit({ git: { message: `round ${round}` } })
  writeSync(1, `${round}\n`)
}
