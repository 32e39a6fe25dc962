import fs from 'node:fs'
import { expect, test } from 'vitest'
import { stateOf } from '../support/state.js'
import { scene, stagedChanges } from './kit.js'

test('a discard applies in a new review log that replaced a damaged one', async () => {
  const s = scene({ 'src/a.ts': 'a\n', 'src/b.ts': 'b\n' })
  const workspace = await s.open()
  const session = await s.agent(workspace)
  session.fs.writeFileSync('src/a.ts', 'A\n')
  session.fs.writeFileSync('src/b.ts', 'B\n')
  await (await workspace.review('one')).reject('src/b.ts', 'no')
  await session.flush()
  fs.renameSync(`${stateOf(s.root)}/sessions/one/review.jsonl`, s.at('damaged.jsonl'))
  const review = await workspace.review('one')
  await review.changes()
  await review.discard('src/a.ts')
  await session.flush()
  expect(await stagedChanges(session)).toEqual(['modify src/b.ts'])
  session.fs.writeFileSync('src/a.ts', 'A\n')
  await session.flush()
  expect(await stagedChanges(session)).toEqual(['modify src/a.ts', 'modify src/b.ts'])
})

test('a session with nothing staged does not read the plans of old commits', async () => {
  const s = scene({ 'src/a.ts': 'a\n' })
  const workspace = await s.open()
  const session = await s.agent(workspace)
  session.fs.writeFileSync('src/a.ts', 'A\n')
  await session.flush()
  await s.release('one')
  await session.close()
  const plan = `${stateOf(s.root)}/commits/1.done`
  fs.chmodSync(plan, 0o600)
  fs.writeFileSync(plan, 'unreadable')
  const two = await s.agent(workspace, 'two')
  two.fs.writeFileSync('src/a.ts', 'B\n')
  await two.flush()
  expect(await stagedChanges(two)).toEqual(['modify src/a.ts'])
})
