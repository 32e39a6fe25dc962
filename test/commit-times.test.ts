import { spawnSync } from 'node:child_process'
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

it('files of one commit keep the order in which the session wrote them, so make builds what is stale', async () => {
  const at = testWorkspace()
  const workspace = await at.open()
  const session = await working(workspace)
  const path = (name: string) => `${at.root}/src/${name}`
  for (const name of ['f.o', 'prog', 'f.c']) session.fs.writeFileSync(path(name), name)
  const review = await workspace.review('agent')
  await review.approve()
  await review.commit()
  const times = ['f.o', 'prog', 'f.c'].map((name) => statSync(path(name), { bigint: true }).mtimeNs)
  expect(times).toEqual([...new Set(times)].sort((a, b) => (a < b ? -1 : 1)))
})

it('files that a contained command wrote keep the order of its writes', async () => {
  const at = testWorkspace()
  at.write('src/Makefile', 'a.out: f.c\n\tcp f.c a.out\n')
  const workspace = await at.open()
  const session = await working(workspace)
  const build = 'cd src && echo one > f.c && sleep 0.05 && make'
  expect((await session.exec(build)).exitCode).toBe(0)
  expect((await session.exec('cd src && make')).stdout).toContain('up to date')
  const review = await workspace.review('agent')
  await review.approve()
  await review.commit()
  expect(spawnSync('make', { cwd: `${at.root}/src`, encoding: 'utf8' }).stdout).toContain('up to date')
  session.fs.writeFileSync(`${at.root}/src/f.c`, 'two')
  expect((await session.exec('cd src && make')).stdout).toContain('cp f.c a.out')
})
