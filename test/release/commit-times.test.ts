import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { startSession, testWorkspace } from '../support/workspace.js'

const THEN = new Date('2020-02-02T02:02:02.500Z')

it('commits times that were set by hand after the last write, in any process', async () => {
  const project = testWorkspace()
  const workspace = await project.open()
  const session = await startSession(workspace)
  const path = (name: string) => `${project.root}/src/${name}`
  session.fs.writeFileSync(path('new'), 'new')
  session.fs.utimesSync(path('new'), THEN, THEN)
  session.fs.writeFileSync(path('a.ts'), 'another content')
  session.fs.utimesSync(path('a.ts'), THEN, THEN)
  session.fs.writeFileSync(path('later'), 'later')
  session.fs.utimesSync(path('later'), THEN, THEN)
  session.fs.appendFileSync(path('later'), ' still')
  await session.close()
  await workspace.close()
  const again = await project.open()
  const began = Date.now() - 1_000
  const review = await again.review('agent')
  await review.approve()
  await review.commit()
  for (const name of ['new', 'a.ts']) expect(statSync(path(name)).mtime).toEqual(THEN)
  expect(statSync(path('later')).mtimeMs).toBeGreaterThan(began)
})

it('keeps times that were set by hand on a file edited in a renamed directory', async () => {
  const project = testWorkspace()
  mkdirSync(`${project.root}/src/old`)
  writeFileSync(`${project.root}/src/old/edited`, 'before')
  writeFileSync(`${project.root}/src/old/other`, 'other')
  const workspace = await project.open()
  const session = await startSession(workspace)
  const edited = `${project.root}/src/new/edited`
  session.fs.renameSync(`${project.root}/src/old`, `${project.root}/src/new`)
  session.fs.writeFileSync(edited, 'after')
  session.fs.utimesSync(edited, THEN, THEN)
  const review = await workspace.review('agent')
  await review.approve()
  await review.commit()
  expect(readFileSync(edited, 'utf8')).toBe('after')
  expect(statSync(edited).mtime).toEqual(THEN)
})

it('does not count times alone as a change', async () => {
  const project = testWorkspace()
  const session = await startSession(await project.open())
  session.fs.utimesSync(`${project.root}/src/b.ts`, THEN, THEN)
  expect((await session.changes()).changes).toEqual([])
  expect(session.fs.statSync(`${project.root}/src/b.ts`).mtime).toEqual(THEN)
})

it('keeps the order in which the session wrote files, so that make rebuilds stale targets', async () => {
  const project = testWorkspace()
  const workspace = await project.open()
  const session = await startSession(workspace)
  const path = (name: string) => `${project.root}/src/${name}`
  for (const name of ['f.o', 'prog', 'f.c']) session.fs.writeFileSync(path(name), name)
  const review = await workspace.review('agent')
  await review.approve()
  await review.commit()
  const times = ['f.o', 'prog', 'f.c'].map((name) => statSync(path(name), { bigint: true }).mtimeNs)
  expect(times).toEqual([...new Set(times)].sort((a, b) => (a < b ? -1 : 1)))
})

it('keeps the order in which a contained command wrote files', async () => {
  const project = testWorkspace()
  project.write('src/Makefile', 'a.out: f.c\n\tcp f.c a.out\n')
  const workspace = await project.open()
  const session = await startSession(workspace)
  const build = 'cd src && echo one > f.c && sleep 0.05 && make'
  expect((await session.exec(build)).exitCode).toBe(0)
  expect((await session.exec('cd src && make')).stdout).toContain('up to date')
  const review = await workspace.review('agent')
  await review.approve()
  await review.commit()
  expect(spawnSync('make', { cwd: `${project.root}/src`, encoding: 'utf8' }).stdout).toContain('up to date')
  session.fs.writeFileSync(`${project.root}/src/f.c`, 'two')
  expect((await session.exec('cd src && make')).stdout).toContain('cp f.c a.out')
})

it('stages and commits times that a contained command sets', async () => {
  const project = testWorkspace()
  writeFileSync(`${project.root}/src/old`, 'old')
  utimesSync(`${project.root}/src/old`, THEN, THEN)
  const workspace = await project.open()
  const session = await startSession(workspace)
  const set = [
    'cd src',
    'echo new > touched && touch -d 2020-02-02T02:02:02.5Z touched',
    'cp -p old copied',
    'mkdir packed && cp -p old packed/ && tar -cf p.tar packed && rm -r packed && tar -xpf p.tar && rm p.tar',
    'touch -d 2020-02-02T02:02:02.5Z b.ts',
  ].join(' && ')
  expect((await session.exec(set)).exitCode).toBe(0)
  // The ustar format stores whole seconds.
  const whole = new Date(Math.floor(THEN.getTime() / 1000) * 1000)
  const expected = { 'src/touched': THEN, 'src/copied': THEN, 'src/packed/old': whole }
  const readMtime = () => session.fs.statSync(`${project.root}/src/b.ts`).mtime
  for (const [path, time] of Object.entries(expected))
    expect(session.fs.statSync(`${project.root}/${path}`).mtime).toEqual(time)
  expect(readMtime()).toEqual(THEN)
  expect((await session.exec('stat -c %y src/touched')).stdout).toContain('2020-02-02 02:02:02.500000')
  const review = await workspace.review('agent')
  await review.approve()
  await review.commit()
  for (const [path, time] of Object.entries(expected)) expect(statSync(`${project.root}/${path}`).mtime).toEqual(time)
})

it('does not refuse a command for the time of a file out of scope', async () => {
  const project = testWorkspace()
  const session = await startSession(await project.open())
  const { exitCode, refused } = await session.exec('touch -d 2020-02-02 mail/m.ts')
  expect({ exitCode, refused }).toEqual({ exitCode: 0, refused: [] })
})
