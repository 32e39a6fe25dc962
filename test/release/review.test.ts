import { utimesSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { reasonOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

/** A reviewer's process that stays open next to an agent's. */
async function setUpReview() {
  const project = testWorkspace()
  const session = await startSession(await project.open())
  session.fs.writeFileSync('src/a.ts', 'a one\na new\n')
  session.fs.writeFileSync('src/b.ts', 'b new\n')
  const reviewer = await project.open()
  const review = await reviewer.review(session.id)
  const readFiles = async () => {
    const { changes } = await review.changes()
    return Object.fromEntries(
      changes.map(({ path, hunks, state, flags }) => {
        const text = hunks.map((hunk) => hunk.text.replace(/^@@.*\n/, '')).join('')
        return [path, { text, state, flags }]
      }),
    )
  }
  await readFiles()
  return { project, session, review, readFiles }
}

const A = { text: ' a one\n-a two\n+a new\n', state: 'pending', flags: [] }
const B = { text: '-b\n+b new\n', state: 'pending', flags: [] }

describe('a review that is read repeatedly', () => {
  it('returns the same while nothing changes', async () => {
    const { readFiles } = await setUpReview()
    for (let attempt = 0; attempt < 3; attempt++) expect(await readFiles()).toEqual({ 'src/a.ts': A, 'src/b.ts': B })
  })

  it('sees what the agent writes, reverts and moves', async () => {
    const { session, readFiles } = await setUpReview()
    session.fs.writeFileSync('src/b.ts', 'b newer\n')
    expect(await readFiles()).toEqual({ 'src/a.ts': A, 'src/b.ts': { ...B, text: '-b\n+b newer\n' } })
    await session.revert(['src/b.ts'])
    expect(await readFiles()).toEqual({ 'src/a.ts': A })
    session.fs.renameSync('src/a.ts', 'src/moved.ts')
    expect(await readFiles()).toEqual({ 'src/moved.ts': A })
    await session.close()
    expect(await readFiles()).toEqual({ 'src/moved.ts': A })
  })

  it('sees changes of the disk by others, and their reversal', async () => {
    const { project, readFiles } = await setUpReview()
    project.write('src/b.ts', 'b of another\n')
    expect((await readFiles())['src/b.ts']).toMatchObject({ flags: ['drifted'] })
    project.write('src/b.ts', 'b\n')
    expect(await readFiles()).toEqual({ 'src/a.ts': A, 'src/b.ts': B })
    // Same length and same mtime: the change is still found.
    project.write('src/b.ts', 'c\n')
    utimesSync(`${project.root}/src/b.ts`, 1, 1)
    expect((await readFiles())['src/b.ts']).toMatchObject({ flags: ['drifted'] })
    // Nothing is left to decide when the disk has the staged content.
    project.write('src/b.ts', 'b new\n')
    expect(await readFiles()).toEqual({ 'src/a.ts': A })
  })

  it('sees a changed policy and scope', async () => {
    const { project, readFiles } = await setUpReview()
    project.write('.orchestration/policy.yaml', 'protected: [src/b.ts]\n')
    expect(await readFiles()).toEqual({ 'src/a.ts': A, 'src/b.ts': { ...B, flags: ['protected'] } })
    const intents = project.text('.orchestration/active_intents.yaml')
    project.write('.orchestration/active_intents.yaml', intents.replace('"src/**"', '"src/b.ts"'))
    expect((await readFiles())['src/a.ts']).toEqual({ ...A, flags: ['out-of-scope'] })
  })

  it('sees verdicts, edits, splits and commits of other processes', async () => {
    const { project, session, readFiles } = await setUpReview()
    const other = await (await project.open()).review(session.id)
    await other.changes()
    await other.reject('src/b.ts', 'no')
    expect(await readFiles()).toEqual({ 'src/a.ts': A, 'src/b.ts': { ...B, state: 'rejected' } })
    await other.approve('src/a.ts')
    expect((await readFiles())['src/a.ts']).toEqual({ ...A, state: 'approved' })
    await other.edit('src/b.ts', 'b as I want it\n')
    expect((await readFiles())['src/b.ts']).toMatchObject({
      text: '-b\n+b as I want it\n',
      flags: ['edited', 'verdict-void'],
    })
    await other.commit()
    expect(Object.keys(await readFiles())).toEqual(['src/b.ts'])
    await other.discard('src/b.ts')
    expect(await readFiles()).toEqual({})
  })

  it('decides on what it has shown, and refuses what changed since', async () => {
    const { session, review } = await setUpReview()
    session.fs.writeFileSync('src/b.ts', 'b newer\n')
    await expect(review.approve('src/b.ts')).rejects.toMatchObject({ reason: 'stale_file' })
    await review.changes()
    await review.approve('src/b.ts')
    expect((await review.commit()).committed).toEqual(['src/b.ts'])
  })
})

describe('a decision by somebody who is not a reviewer', () => {
  const untyped = JSON.parse('"Ada"')

  it('is refused, and leaves the session readable', async () => {
    const { project, session, review } = await setUpReview()
    const workspace = await project.open()
    const hunk = (await review.changes()).changes[0]?.hunks[0]?.id ?? expect.unreachable()
    await session.requestScope(['lib/**'], 'It needs a library.')
    const question = (await review.questions())[0]?.id ?? expect.unreachable()
    await session.exec('echo x > out.txt')
    const decisions: Record<string, () => Promise<unknown>> = {
      approve: () => review.approve('src/a.ts', untyped),
      'approve everything': () => review.approve(undefined, untyped),
      reject: () => review.reject('src/a.ts', 'no', untyped),
      edit: () => review.edit('src/a.ts', 'edited\n', untyped),
      split: () => review.split(hunk, untyped),
      answer: () => review.answer(question, { answer: 'allow', by: untyped }),
      drop: () => review.dropQuarantined('out.txt', untyped),
      take: () => review.takeQuarantined('out.txt', untyped),
      'add an intent': () => workspace.intents.add({ name: 'More' }, untyped),
      'complete an intent': () => workspace.intents.complete('INT-001', untyped),
      deselect: () => workspace.intents.deselect(untyped),
      'edit the intents': () => workspace.intents.editFile(async (text) => `${text}# more\n`, untyped),
      accept: async () => workspace.accept((await workspace.trust()).digest, untyped),
      join: () => workspace.ledger.join(untyped),
    }
    await session.flush()
    const before = await recordsOf(workspace)
    for (const [name, decide] of Object.entries(decisions)) expect(await reasonOf(decide), name).toBe('unsupported')
    expect(await recordsOf(workspace)).toEqual(before)
    const account = { name: 'Ada', id: 7 }
    expect((await review.approve(undefined, account)).by).toEqual({ name: 'Ada' })
    expect((await review.commit()).committed).toEqual(['src/a.ts', 'src/b.ts'])
    await session.close()
  })

  it('is refused with a reason that is not a text', async () => {
    const { project, session, review, readFiles } = await setUpReview()
    const workspace = await project.open()
    await session.flush()
    const before = await recordsOf(workspace)
    expect(await reasonOf(() => review.reject('src/a.ts', JSON.parse('5')))).toBe('unsupported')
    expect(await recordsOf(workspace)).toEqual(before)
    expect(await readFiles()).toEqual({ 'src/a.ts': A, 'src/b.ts': B })
  })
})
