import fs from 'node:fs'
import { expect, it } from 'vitest'
import { startSession, testWorkspace } from '../support/workspace.js'
import { recordEvents, waitForEvents } from './watching.js'

it("a commit's content is not reported again, and the disk's changes after it are", async () => {
  const { root, open } = testWorkspace()
  const workspace = await open()
  const session = await startSession(workspace)
  const recorder = recordEvents(session.fs.watch(`${root}/src`, { recursive: true }))
  const all = () => waitForEvents(recorder, (round) => fs.writeFileSync(`${root}/src/probe`, round))
  session.fs.writeFileSync(`${root}/src/a.ts`, 'staged')
  session.fs.unlinkSync(`${root}/src/b.ts`)
  session.fs.mkdirSync(`${root}/src/new`)
  session.fs.writeFileSync(`${root}/src/new/f.ts`, 'staged')
  const staged = ['change:a.ts', 'rename:b.ts', 'rename:new', 'rename:new/f.ts']
  expect(await all()).toEqual(staged)

  const review = await workspace.review(session.id)
  await review.approve()
  await review.commit()
  expect(await all()).toEqual(staged)
  await session.flush()
  expect(await all()).toEqual(staged)
  expect((await session.changes()).changes).toEqual([])

  fs.writeFileSync(`${root}/src/new/f.ts`, 'disk')
  expect((await all()).slice(staged.length)).toEqual(['change:new/f.ts'])
})

it('closing a session ends its watchers', async () => {
  const { root, open } = testWorkspace()
  const session = await startSession(await open())
  const watcher = session.fs.watch(root)
  const poll = session.fs.watchFile(`${root}/src/a.ts`, () => undefined)
  const ends = [watcher, poll].map(
    (each, i) => new Promise((resolve) => each.once(i === 0 ? 'close' : 'stop', resolve)),
  )
  await session.close()
  await Promise.all(ends)
})
