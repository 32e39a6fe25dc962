import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { layoutOf } from '../src/core/layout.js'
import { testWorkspace, working } from './support/workspace.js'

const ANN = { name: 'Ann' }

it('an approval whose commit died before it was noted does not hold for the same change made again', async () => {
  const at = testWorkspace()
  const workspace = await at.open()
  const agent = await working(workspace)
  agent.fs.writeFileSync('src/a.ts', 'new\n')
  agent.fs.writeFileSync('src/b.ts', 'other\n')
  const review = await workspace.review('agent')
  await review.approve('src/a.ts', ANN)
  expect((await review.commit()).committed).toEqual(['src/a.ts'])

  const { review: log } = layoutOf(at.root).session('agent')
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
  const kept = lines.filter((line) => !line.includes('"kind":"committed"'))
  expect(kept.length).toBe(lines.length - 1)
  writeFileSync(log, `${kept.join('\n')}\n`)

  await agent.flush()
  at.write('src/a.ts', 'a one\na two\n')
  agent.fs.readFileSync('src/a.ts')
  agent.fs.writeFileSync('src/a.ts', 'new\n')
  await agent.flush()
  const again = await (await at.open()).review('agent')
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

/** A file changed in three places that stand in one hunk, divided. */
async function divided() {
  const at = testWorkspace({ 'src/a.ts': THREE })
  const agent = await working(await at.open())
  agent.fs.writeFileSync('src/a.ts', CHANGED)
  await agent.flush()
  const review = await (await at.open()).review('agent')
  const [change] = (await review.changes()).changes
  const pieces = await review.split(change?.hunks[0]?.id ?? '')
  const { review: log } = layoutOf(at.root).session('agent')
  const statesNow = async () => {
    const again = await (await at.open()).review('agent')
    const [now] = (await again.changes()).changes
    return now?.hunks.map(({ state, text }) => `${state} ${/^\+(.*)$/m.exec(text)?.[1]}`)
  }
  return { at, review, pieces, log, statesNow }
}

it('a no to a piece outlives a committer that died before it wrote down what landed, however much it had written', async () => {
  const { at, review, pieces, log, statesNow } = await divided()
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
  const other = await (await at.open()).review('agent')
  await other.approve()
  await other.commit()
  expect(at.text('src/a.ts')).toBe('ONE\nkept\nTWO\nkept too\nthree\n')
})

it('so does a no to the file, of which a part was approved afterwards', async () => {
  const { review, pieces, log, statesNow } = await divided()
  await review.reject('src/a.ts', 'none of it', ANN)
  await review.approve({ hunks: [pieces[1] ?? ''] }, ANN)
  const before = readFileSync(log, 'utf8')
  await review.commit()
  writeFileSync(log, before)
  expect(await statesNow()).toEqual(['rejected ONE', 'rejected THREE'])
})
