import { expect, it } from 'vitest'
import { startSession, testWorkspace } from '../support/workspace.js'

const ADA = { name: 'Ada' }
const LANDED = { branch: 'main', commit: '1'.repeat(40) }

/** A session has a change of src/a.ts that a hub landed. The disk has the lines before it. */
async function setUpLanded() {
  const project = testWorkspace()
  const workspace = await project.open()
  const session = await startSession(workspace)
  session.fs.writeFileSync('src/a.ts', 'by the first agent\n')
  const review = await workspace.review('agent')
  await review.changes()
  await review.approve(undefined, ADA)
  await review.recordLanded(['src/a.ts'], LANDED)
  const authors = async () => (await workspace.ledger.blame('src/a.ts')).map(({ contributor }) => contributor)
  return { project, workspace, review, authors }
}

it('lines that nobody recorded stay unknown on the disk that a landing has not reached', async () => {
  const { project, authors } = await setUpLanded()
  expect(await authors()).toEqual(['unknown', 'unknown'])
  project.write('src/a.ts', 'by the first agent\n')
  expect(await authors()).toEqual(['ai'])
})

it('a commit after a landing, of a file without it, attributes no line to a person', async () => {
  const { workspace, authors } = await setUpLanded()
  const other = await startSession(workspace, 'other')
  other.fs.writeFileSync('src/a.ts', 'a one\na two\nby the second agent\n')
  const review = await workspace.review('other')
  await review.changes()
  await review.approve(undefined, ADA)
  await review.commit()
  expect(await authors()).toEqual(['unknown', 'unknown', 'ai'])
})

it('a landing that is committed here later has the same authors', async () => {
  const { review, authors } = await setUpLanded()
  await review.commit()
  expect(await authors()).toEqual(['ai'])
})
