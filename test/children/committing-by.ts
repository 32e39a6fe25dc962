/**
 * Stages one round of files and commits it with git programs from another directory: ROOT BIN ROUND. With ROUND 0 it only opens the
 * workspace, which finishes an interrupted commit. Git calls count from the file BIN/armed on.
 */
import { writeFileSync, writeSync } from 'node:fs'
import { openWorkspace } from '../../src/index.js'
import { FILES } from './rounds.js'

const [root = '', bin = '', round = '0'] = process.argv.slice(2)
process.env.PATH = `${bin}:${process.env.PATH}`
if (round === '0') {
  writeFileSync(`${bin}/armed`, '')
  const workspace = await openWorkspace(root)
  await workspace.close()
} else {
  const workspace = await openWorkspace(root)
  const session = await workspace.session({ id: 'agent' })
  await session.selectIntent('INT-001')
  for (const path of FILES) session.fs.writeFileSync(path, `round ${round}\n`)
  const review = await workspace.review('agent')
  await review.changes()
  await review.approve(undefined, { name: 'Ann' })
  writeFileSync(`${bin}/armed`, '')
  await review.commit()
  await workspace.close()
}
writeSync(1, 'done\n')
