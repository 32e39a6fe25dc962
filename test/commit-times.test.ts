import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { testWorkspace, working } from './support/workspace.js'

const THEN = new Date('2020-02-02T02:02:02.500Z')

it('a commit gives files the times that were set by hand after their last write, in any process', async () => {
  const at = testWorkspace()
  const workspace = await at.open()
  const session = await working(workspace)
  const path = (name: string) => `${at.root}/src/${name}`
  session.fs.writeFileSync(path('new'), 'new')
  session.fs.utimesSync(path('new'), THEN, THEN)
  session.fs.writeFileSync(path('a.ts'), 'another content')
  session.fs.utimesSync(path('a.ts'), THEN, THEN)
  session.fs.writeFileSync(path('later'), 'later')
  session.fs.utimesSync(path('later'), THEN, THEN)
  session.fs.appendFileSync(path('later'), ' still')
  await session.close()
  await workspace.close()
  const again = await at.open()
  const began = Date.now() - 1_000
  const review = await again.review('agent')
  await review.approve()
  await review.commit()
  for (const name of ['new', 'a.ts']) expect(statSync(path(name)).mtime).toEqual(THEN)
  expect(statSync(path('later')).mtimeMs).toBeGreaterThan(began)
})

it('a file edited in a directory that was renamed keeps the times that were set by hand', async () => {
  const at = testWorkspace()
  mkdirSync(`${at.root}/src/old`)
  writeFileSync(`${at.root}/src/old/edited`, 'before')
  writeFileSync(`${at.root}/src/old/other`, 'other')
  const workspace = await at.open()
  const session = await working(workspace)
  const edited = `${at.root}/src/new/edited`
  session.fs.renameSync(`${at.root}/src/old`, `${at.root}/src/new`)
  session.fs.writeFileSync(edited, 'after')
  session.fs.utimesSync(edited, THEN, THEN)
  const review = await workspace.review('agent')
  await review.approve()
  await review.commit()
  expect(readFileSync(edited, 'utf8')).toBe('after')
  expect(statSync(edited).mtime).toEqual(THEN)
})

it('times alone are no change: nothing that could be reviewed', async () => {
  const at = testWorkspace()
  const session = await working(await at.open())
  session.fs.utimesSync(`${at.root}/src/b.ts`, THEN, THEN)
  expect((await session.changes()).changes).toEqual([])
  expect(session.fs.statSync(`${at.root}/src/b.ts`).mtime).toEqual(THEN)
})
