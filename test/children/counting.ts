/**
 * Adds one to a counter file, TIMES times, each as a session's write that a person approves and commits. Retries if
 * another process was faster. Prints each number once it is on disk. ROOT SESSION TIMES
 */
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { openWorkspace } from '../../src/index.js'

const [root = '', id = '', times = '0'] = process.argv.slice(2)
// If another process has written the same number meanwhile, nothing is staged any more.
const COUNTER = 'src/counter.txt'
const RETRIED = new Set<unknown>(['stale_file', 'session_busy', 'nothing_selected'])
const workspace = await openWorkspace(root)
const session = await workspace.session({ id })
await session.selectIntent('INT-001')
const review = await workspace.review(id)

async function increment(): Promise<number | undefined> {
  const next = Number(session.fs.readFileSync(COUNTER, 'utf8')) + 1
  session.fs.writeFileSync(COUNTER, `${next}\n`)
  await review.changes()
  await review.approve(COUNTER, { name: 'Ann' })
  const { committed, conflicts } = await review.commit()
  return committed.length === 1 && conflicts.length === 0 ? next : undefined
}

/** Drops the staged changes of a failed attempt, because the next one must read the disk. */
async function startOver(): Promise<void> {
  await session.revert()
  await sleep(Math.random() * 20)
}

await startOver()
for (let done = 0; done < Number(times); ) {
  try {
    const next = await increment()
    if (next !== undefined) {
      writeSync(1, `${next}\n`)
      done += 1
      continue
    }
  } catch (error) {
    if (!RETRIED.has((error as { reason?: unknown }).reason)) throw error
  }
  await startOver()
}
await workspace.close()
