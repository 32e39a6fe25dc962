import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { lastCommit } from '../../src/commit/index.js'
import { withProcessLock } from '../../src/os/lock.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { startSession, testWorkspace } from '../support/workspace.js'

const ANN = { name: 'Ann' }

it('does not apply an approval again when its commit died before it was recorded', async () => {
  const project = testWorkspace()
  const workspace = await project.open()
  const agent = await startSession(workspace)
  agent.fs.writeFileSync('src/a.ts', 'new\n')
  agent.fs.writeFileSync('src/b.ts', 'other\n')
  const review = await workspace.review('agent')
  await review.approve('src/a.ts', ANN)
  expect((await review.commit()).committed).toEqual(['src/a.ts'])

  const { review: log } = layoutAt(project.root).session('agent')
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
  const remaining = lines.filter((line) => !line.includes('"kind":"committed"'))
  expect(remaining.length).toBe(lines.length - 1)
  writeFileSync(log, `${remaining.join('\n')}\n`)

  await agent.flush()
  project.write('src/a.ts', 'a one\na two\n')
  agent.fs.readFileSync('src/a.ts')
  agent.fs.writeFileSync('src/a.ts', 'new\n')
  await agent.flush()
  const again = await (await project.open()).review('agent')
  const states = (await again.changes()).changes.map(({ path, state }) => [path, state])
  expect(states).toEqual([
    ['src/a.ts', 'pending'],
    ['src/b.ts', 'pending'],
  ])
  expect((await again.commit()).committed).toEqual([])
  expect(readFileSync(log, 'utf8').match(/"kind":"committed"/g)).toHaveLength(1)
  await again.changes()
  expect(readFileSync(log, 'utf8').match(/"kind":"committed"/g)).toHaveLength(1)
})

const THREE = 'one\nkept\ntwo\nkept too\nthree\n'
const CHANGED = 'ONE\nkept\nTWO\nkept too\nTHREE\n'

/** A file with three changes in one hunk, which the reviewer split. */
async function setUpSplitHunk() {
  const project = testWorkspace({ 'src/a.ts': THREE })
  const agent = await startSession(await project.open())
  agent.fs.writeFileSync('src/a.ts', CHANGED)
  await agent.flush()
  const review = await (await project.open()).review('agent')
  const [change] = (await review.changes()).changes
  const pieces = await review.split(change?.hunks[0]?.id ?? '')
  const { review: log } = layoutAt(project.root).session('agent')
  const statesNow = async () => {
    const again = await (await project.open()).review('agent')
    const [now] = (await again.changes()).changes
    return now?.hunks.map(({ state, text }) => `${state} ${/^\+(.*)$/m.exec(text)?.[1]}`)
  }
  return { project, review, pieces, log, statesNow }
}

it('keeps the rejection of a piece when the committer dies before recording, however much it wrote', async () => {
  const { project, review, pieces, log, statesNow } = await setUpSplitHunk()
  await review.approve({ hunks: [pieces[1] ?? ''] }, ANN)
  await review.reject({ hunks: [pieces[2] ?? ''] }, 'not three', ANN)
  const before = readFileSync(log, 'utf8').split('\n').length
  await review.commit()
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(before)
  for (let kept = before - 1; kept <= lines.length; kept++) {
    writeFileSync(log, `${lines.slice(0, kept).join('\n')}\n`)
    expect(await statesNow()).toEqual(['pending ONE', 'rejected THREE'])
  }
  writeFileSync(log, `${lines.slice(0, before - 1).join('\n')}\n`)
  const other = await (await project.open()).review('agent')
  await other.approve()
  await other.commit()
  expect(project.text('src/a.ts')).toBe('ONE\nkept\nTWO\nkept too\nthree\n')
})

it('keeps the rejection of a file when the committer of an approved part dies', async () => {
  const { review, pieces, log, statesNow } = await setUpSplitHunk()
  await review.reject('src/a.ts', 'none of it', ANN)
  await review.approve({ hunks: [pieces[1] ?? ''] }, ANN)
  const before = readFileSync(log, 'utf8')
  await review.commit()
  writeFileSync(log, before)
  expect(await statesNow()).toEqual(['rejected ONE', 'rejected THREE'])
})

it('starts a new review log after a damaged one was moved away; earlier commits use none of its verdicts', async () => {
  const project = testWorkspace()
  const workspace = await project.open()
  const agent = await startSession(workspace)
  const land = async (text: string) => {
    agent.fs.readFileSync('src/a.ts')
    agent.fs.writeFileSync('src/a.ts', text)
    await agent.flush()
    const committed = []
    // Each call acts as a separate process.
    for (const step of ['approve', 'commit'] as const) {
      const review = await (await project.open()).review('agent')
      if (step === 'approve') await review.approve('src/a.ts', ANN)
      else committed.push(...(await review.commit()).committed)
    }
    return committed
  }
  expect(await land('one\n')).toEqual(['src/a.ts'])
  expect(await land('two\n')).toEqual(['src/a.ts'])
  rmSync(layoutAt(project.root).session('agent').review)
  expect(await land('three\n')).toEqual(['src/a.ts'])
  expect(await land('four\n')).toEqual(['src/a.ts'])
})

it('records a commit once when a verdict arrives while the committer is not done', async () => {
  const project = testWorkspace()
  const layout = layoutAt(project.root)
  const agent = await startSession(await project.open())
  const write = async (text: string) => {
    agent.fs.readFileSync('src/a.ts')
    agent.fs.writeFileSync('src/a.ts', text)
    await agent.flush()
  }
  await write('one\n')
  const [review, other] = [await (await project.open()).review('agent'), await (await project.open()).review('agent')]
  await review.approve('src/a.ts', ANN)
  let landing: ReturnType<typeof review.commit> | undefined
  // The intent map is not yet updated when others see the commit.
  await withProcessLock(layout.locks, 'intent_map', async () => {
    landing = review.commit()
    while (lastCommit(layout) === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await agent.flush()
    await write('two\n')
    await other.changes()
    await other.approve('src/a.ts', ANN)
  })
  const first = await landing
  expect(readFileSync(layout.session('agent').review, 'utf8').match(/"kind":"committed"/g)).toHaveLength(1)
  expect(first?.committed).toEqual(['src/a.ts'])
  expect((await other.commit()).committed).toEqual(['src/a.ts'])
  expect(project.text('src/a.ts')).toBe('two\n')
})
