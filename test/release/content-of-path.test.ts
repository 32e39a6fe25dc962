import { utimesSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Review } from '../../src/index.js'
import { startSession, testWorkspace } from '../support/workspace.js'

/** `review.content` after a reading of the changes compares one path, and must not answer from an old reading. */

const OLD = new Date(0)

async function reviewed() {
  const project = testWorkspace()
  // A file that was just written may change again within the same tick, so it is never known to be unchanged.
  for (const path of ['src/a.ts', 'src/b.ts']) utimesSync(`${project.root}/${path}`, OLD, OLD)
  const workspace = await project.open()
  const session = await startSession(workspace)
  session.fs.writeFileSync('src/a.ts', 'one\n')
  session.fs.writeFileSync('src/new.ts', 'new\n')
  session.fs.renameSync('src/b.ts', 'src/c.ts')
  await session.flush()
  const review = await workspace.review(session.id)
  await review.changes()
  const content = (path: string) => sidesOf(review, path)
  /** As a review answers that has read nothing before. */
  const fresh = async (path: string) => sidesOf(await workspace.review(session.id), path)
  return { project, session, review, content, fresh }
}

async function sidesOf(review: Review, path: string): Promise<(string | undefined)[]> {
  const sides = [await review.content(path, 'before'), await review.content(path, 'after')]
  return sides.map((bytes) => bytes && Buffer.from(bytes).toString())
}

describe('the content of a change', () => {
  it('is that of the last reading while nothing changes', async () => {
    const { content } = await reviewed()
    expect(await content('src/a.ts')).toEqual(['a one\na two\n', 'one\n'])
    expect(await content('src/new.ts')).toEqual([undefined, 'new\n'])
    expect(await content('src/c.ts')).toEqual(['b\n', 'b\n'])
    expect(await content('src/b.ts')).toEqual([undefined, undefined])
  })

  it('is what the agent has written since', async () => {
    const { session, content } = await reviewed()
    session.fs.writeFileSync('src/a.ts', 'two\n')
    session.fs.unlinkSync('src/new.ts')
    session.fs.writeFileSync('src/c.ts', 'c\n')
    await session.flush()
    expect(await content('src/a.ts')).toEqual(['a one\na two\n', 'two\n'])
    expect(await content('src/new.ts')).toEqual([undefined, undefined])
    expect(await content('src/c.ts')).toEqual(['b\n', 'c\n'])
  })

  it('still begins with its base after another program changed the disk', async () => {
    const { project, content, fresh } = await reviewed()
    project.write('src/a.ts', 'by another program\n')
    project.write('src/new.ts', 'also there\n')
    expect(await content('src/a.ts')).toEqual(await fresh('src/a.ts'))
    expect(await content('src/new.ts')).toEqual(await fresh('src/new.ts'))
    expect(await content('src/a.ts')).toEqual(['a one\na two\n', 'one\n'])
  })

  it('is gone after the change was discarded or committed', async () => {
    const { review, content } = await reviewed()
    await review.discard('src/new.ts')
    expect(await content('src/new.ts')).toEqual([undefined, undefined])
    await review.changes()
    await review.approve('src/a.ts', { name: 'Ann' })
    await review.commit()
    expect(await content('src/a.ts')).toEqual([undefined, undefined])
  })
})
