import { describe, expect, it } from 'vitest'
import type { Change, Review } from '../../src/core/api.js'
import { metadataOf, reasonOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

const BASE = 'one\nkept\ntwo\nkept too\nthree\n'
const NOW = 'ONE\nkept\nTWO\nkept too\nTHREE\n'

async function scene() {
  const project = testWorkspace({ 'src/a.ts': BASE })
  const workspace = await project.open()
  const session = await startSession(workspace)
  session.fs.writeFileSync('src/a.ts', NOW)
  await session.flush()
  const review = await workspace.review('agent')
  return { project, workspace, session, review }
}

async function onlyChange(review: Review): Promise<Change> {
  const [change] = (await review.changes()).changes
  return change ?? expect.unreachable('something is staged')
}

/** States with the first added line. */
async function states(review: Review): Promise<string[]> {
  return (await onlyChange(review)).hunks.map(({ state, text }) => `${state} ${/^\+(.*)$/m.exec(text)?.[1]}`)
}

describe('split', () => {
  it('makes pieces that are decided separately, for every reviewer', async () => {
    const { project, workspace, review } = await scene()
    const [hunk] = (await onlyChange(review)).hunks
    const pieces = await review.split(hunk?.id ?? '')
    expect((await onlyChange(review)).hunks.map(({ id }) => id)).toEqual(pieces)
    expect(await review.split(pieces[0] ?? '').catch((error) => error)).toMatchObject({
      reason: 'unsupported',
      message: expect.stringMatching(/^This hunk of src\/a\.ts cannot be split: there is no unchanged line/),
    })
    await review.approve({ hunks: [pieces[1] ?? ''] })
    await review.reject({ hunks: [pieces[2] ?? ''] }, 'not three')
    const other = await workspace.review('agent')
    expect(await states(other)).toEqual(['pending ONE', 'approved TWO', 'rejected THREE'])
    await other.commit()
    expect(project.text('src/a.ts')).toBe('one\nkept\nTWO\nkept too\nthree\n')
    // The committed part now surrounds the rest: the rest is split again, and its rejection still applies.
    expect(await states(other)).toEqual(['pending ONE', 'rejected THREE'])
    await other.approve()
    await other.commit()
    expect(project.text('src/a.ts')).toBe('ONE\nkept\nTWO\nkept too\nthree\n')
    expect(await states(other)).toEqual(['rejected THREE'])
  })

  it('works right after changes(), and its pieces can be decided without another read', async () => {
    const { review } = await scene()
    const [hunk] = (await onlyChange(review)).hunks
    const [first = ''] = await review.split(hunk?.id ?? '')
    await review.approve({ hunks: [first] })
    expect(await states(review)).toEqual(['approved ONE', 'pending TWO', 'pending THREE'])
  })

  it('applies a verdict on the whole to its pieces, whoever split it meanwhile', async () => {
    const { workspace, review } = await scene()
    const other = await workspace.review('agent')
    const [hunk] = (await onlyChange(review)).hunks
    await onlyChange(other)
    await review.reject({ hunks: [hunk?.id ?? ''] }, 'no')
    const [first = ''] = await review.split(hunk?.id ?? '')
    expect(await states(review)).toEqual(['rejected ONE', 'rejected TWO', 'rejected THREE'])
    await review.approve({ hunks: [first] })
    expect(await states(review)).toEqual(['approved ONE', 'rejected TWO', 'rejected THREE'])
    await other.reject({ hunks: [hunk?.id ?? ''] }, 'none of it')
    expect(await states(review)).toEqual(['rejected ONE', 'rejected TWO', 'rejected THREE'])
  })

  it('refuses an unknown hunk, and one that the agent has changed since', async () => {
    const { session, review } = await scene()
    const [hunk] = (await onlyChange(review)).hunks
    expect(await reasonOf(() => review.split('h_none'))).toBe('nothing_selected')
    session.fs.writeFileSync('src/a.ts', `${NOW}four\n`)
    await session.flush()
    expect(await reasonOf(() => review.split(hunk?.id ?? ''))).toBe('stale_file')
  })

  it('gives pieces that can be discarded', async () => {
    const { session, review } = await scene()
    const [hunk] = (await onlyChange(review)).hunks
    const [first = ''] = await review.split(hunk?.id ?? '')
    await review.discard({ hunks: [first] })
    await session.flush()
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('one\nkept\nTWO\nkept too\nTHREE\n')
  })
})

describe('withdraw', () => {
  it('makes a file, or a hunk of it, pending again, and is recorded in the ledger', async () => {
    const { workspace, review } = await scene()
    const [hunk] = (await onlyChange(review)).hunks
    await review.split(hunk?.id ?? '')
    const [first = ''] = (await onlyChange(review)).hunks.map(({ id }) => id)
    await review.approve('src/a.ts')
    await review.withdraw({ hunks: [first] })
    expect(await states(review)).toEqual(['pending ONE', 'approved TWO', 'approved THREE'])
    expect(await review.commit()).toMatchObject({ committed: ['src/a.ts'] })
    expect(await states(review)).toEqual(['pending ONE'])
    await review.approve('src/a.ts')
    const word = await review.withdraw('src/a.ts', { name: 'Ann' })
    expect(word).toMatchObject({ verdict: 'withdrawn', paths: ['src/a.ts'], by: { name: 'Ann' } })
    expect(await onlyChange(review)).toMatchObject({ state: 'pending' })
    expect(await review.commit()).toMatchObject({ id: '' })
    const last = (await recordsOf(workspace)).map(metadataOf).findLast(({ type }) => type === 'verdict')
    expect(last).toMatchObject({ verdict: 'withdrawn', verdict_id: word.id })
  })

  it('records nothing if there was no verdict', async () => {
    const { workspace, review } = await scene()
    expect(await review.withdraw('src/a.ts')).toMatchObject({ id: '', paths: [] })
    expect((await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'verdict')).toEqual([])
  })

  it('hides an undelivered rejection from the agent, and reports a delivered one as withdrawn', async () => {
    const { session, review } = await scene()
    await onlyChange(review)
    await review.reject('src/a.ts', 'too early')
    await review.withdraw('src/a.ts')
    await session.flush()
    expect(await session.feedback()).toEqual([])
    await review.reject('src/a.ts', 'and wrong')
    await session.flush()
    expect(await session.feedback()).toMatchObject([{ kind: 'rejected', reason: 'and wrong' }])
    await review.withdraw('src/a.ts', { name: 'Ann' })
    await session.flush()
    expect(await session.feedback()).toMatchObject([
      { kind: 'withdrawn', path: 'src/a.ts', reason: expect.stringContaining('and wrong') },
    ])
    expect(await session.feedback()).toEqual([])
    session.fs.writeFileSync('src/a.ts', 'else\n')
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('else\n')
  })

  it('reports a partly withdrawn rejection by its lines, and the rest when it follows', async () => {
    const { session, review } = await scene()
    const [hunk] = (await onlyChange(review)).hunks
    const [one = '', two = '', three = ''] = await review.split(hunk?.id ?? '')
    const feedbackItems = async () => {
      await session.flush()
      return (await session.feedback()).map(({ kind, lines }) => [kind, lines?.map(([first]) => first)])
    }
    await review.reject({ hunks: [one, two, three] }, 'no')
    await review.withdraw({ hunks: [two] })
    expect(await feedbackItems()).toEqual([['rejected', [1, 5]]])
    await review.withdraw({ hunks: [three] })
    expect(await feedbackItems()).toEqual([['withdrawn', [5]]])
    await review.withdraw({ hunks: [one] })
    expect(await feedbackItems()).toEqual([['withdrawn', [1]]])
    expect(await feedbackItems()).toEqual([])
  })

  it('reports a part of a rejection of the whole file, too', async () => {
    const { session, review } = await scene()
    const [hunk] = (await onlyChange(review)).hunks
    const [, two = ''] = await review.split(hunk?.id ?? '')
    await onlyChange(review)
    await review.reject('src/a.ts', 'no')
    await session.flush()
    expect(await session.feedback()).toMatchObject([{ kind: 'rejected' }])
    await review.withdraw({ hunks: [two] })
    await session.flush()
    expect(await session.feedback()).toMatchObject([{ kind: 'withdrawn', lines: [[3, 4]] }])
    await review.withdraw('src/a.ts')
    await session.flush()
    expect(await session.feedback()).toMatchObject([{ kind: 'withdrawn', path: 'src/a.ts' }])
  })

  it('leaves no void verdict for a later edit of the agent', async () => {
    const { session, review } = await scene()
    await onlyChange(review)
    await review.approve('src/a.ts')
    await review.withdraw('src/a.ts')
    session.fs.writeFileSync('src/a.ts', 'else\n')
    expect((await onlyChange(review)).flags).not.toContain('verdict-void')
  })
})
