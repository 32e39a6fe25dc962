import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { layoutAt } from '../../src/os/workspace-state.js'
import { failure, startSession, testWorkspace } from '../support/workspace.js'

const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n'

/** Two hunks, of which a commit is to take the first; `word` is another reviewer's verdict meanwhile. */
async function committing(word: 'reject first' | 'withdraw first' | 'reject second' | 'approve other') {
  const project = testWorkspace({ 'src/a.ts': LINES, 'src/b.ts': 'b\n' })
  const session = await startSession(await project.open())
  session.fs.writeFileSync('src/a.ts', LINES.replace('one', 'ONE').replace('ten', 'TEN'))
  session.fs.writeFileSync('src/b.ts', 'B\n')
  await session.flush()
  const [mine, other] = [await (await project.open()).review('agent'), await (await project.open()).review('agent')]
  const [first = '', second = ''] = (await mine.changes()).changes[0]?.hunks.map(({ id }) => id) ?? []
  await mine.approve({ hunks: [first] })
  // The other reviewer's records are written beforehand and removed, to be restored between two steps of the commit.
  const { review: log } = layoutAt(project.root).session('agent')
  const before = readFileSync(log, 'utf8')
  if (word === 'reject first') await other.reject({ hunks: [first] }, 'no')
  if (word === 'withdraw first') await other.withdraw({ hunks: [first] })
  if (word === 'reject second') await other.reject({ hunks: [second] }, 'no')
  if (word === 'approve other') await other.approve('src/b.ts')
  const appended = readFileSync(log, 'utf8').slice(before.length)
  writeFileSync(log, before)
  let isSaid = false
  const commit = () =>
    mine.commit({
      onProgress() {
        if (!isSaid) appendFileSync(log, appended)
        isSaid = true
      },
    })
  return { project, mine, commit }
}

it.each(['reject first', 'withdraw first', 'reject second'] as const)(
  "a commit is refused after another reviewer's verdict while it runs: %s",
  async (word) => {
    const { project, mine, commit } = await committing(word)
    expect(await failure(commit)).toMatchObject({ reason: 'stale_file', refused: [{ path: 'src/a.ts' }] })
    expect(project.text('src/a.ts')).toBe(LINES)
    const result = await mine.commit()
    expect(result.committed).toEqual(word === 'reject second' ? ['src/a.ts'] : [])
  },
)

it('a verdict on another change does not stop a commit', async () => {
  const { project, commit } = await committing('approve other')
  expect(await commit()).toMatchObject({ committed: ['src/a.ts'] })
  expect(project.text('src/b.ts')).toBe('b\n')
})
