/**
 * Reviews a session until its input ends: ROOT NAME WHAT. `even` and `odd` decide on every second pending hunk, one at
 * a time, and end when there is none; `commit` approves and commits every hunk. Prints each decided hunk's text as
 * JSON.
 */
import { openWorkspace } from '../../src/index.js'

const [root = '', name = '', what = 'commit'] = process.argv.slice(2)
let isOver = false
process.stdin.resume()
process.stdin.on('end', () => {
  isOver = true
})
const workspace = await openWorkspace(root)
const review = await workspace.review('agent')
const EXPECTED = new Set(['stale_file', 'nothing_selected', 'session_busy'])

/** Ignores the refusal of a hunk that the agent has changed since it was displayed: the next round reads it again. */
async function tryExpected<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && 'reason' in error && EXPECTED.has(String(error.reason))) return undefined
    throw error
  }
}

while (!isOver) {
  const { changes } = await review.changes()
  const hunks = changes.flatMap((change) => change.hunks).filter(({ state }) => state === 'pending')
  const isMine = (text: string) => Number(/\+new (\d+)/.exec(text)?.[1]) % 2 === (what === 'odd' ? 1 : 0)
  const [mine] = what === 'commit' ? hunks : hunks.filter(({ text }) => isMine(text))
  if (mine === undefined) {
    if (what !== 'commit') break
    await new Promise((resolve) => setTimeout(resolve, 5))
    continue
  }
  const selection = { hunks: [mine.id] }
  const verdict = await tryExpected(() =>
    what === 'odd' ? review.reject(selection, mine.id, { name }) : review.approve(selection, { name }),
  )
  if (verdict !== undefined) process.stdout.write(`${JSON.stringify(mine.text)}\n`)
  if (what === 'commit') await tryExpected(() => review.commit())
}
await workspace.close()
process.exit(0)
