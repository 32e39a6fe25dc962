import { expect, test } from 'vitest'
import { scene, stagedChanges } from './kit.js'

test('committing an approved deletion does not commit an unapproved directory of the same name', async () => {
  const s = scene({ 'src/a': 'a\n', 'src/b.ts': 'b\n' })
  const workspace = await s.open()
  const session = await s.agent(workspace)
  session.fs.unlinkSync('src/a')
  const review = await workspace.review('one')
  await review.changes()
  await review.approve()
  session.fs.mkdirSync('src/a')
  expect((await review.commit()).committed).toEqual(['src/a'])
  expect(s.exists('src/a')).toBe(false)
  expect(await stagedChanges(session)).toEqual(['mkdir src/a'])
})

type Fs = typeof import('node:fs')

function replaceByDirectory(fs: Fs): void {
  fs.unlinkSync('src/a')
  fs.mkdirSync('src/a')
}

function replaceByFile(fs: Fs): void {
  fs.rmdirSync('src/d')
  fs.writeFileSync('src/d', 'now a file\n')
}

test.each([
  ['a file', 'src/a', replaceByDirectory],
  ['an empty directory', 'src/d', replaceByFile],
])('%s replaced by the other kind can be approved and committed', async (_name, path, replace) => {
  const s = scene({ 'src/a': 'a\n', 'src/d/x': '' })
  const { rmSync, statSync } = await import('node:fs')
  rmSync(s.at('src/d/x'))
  const workspace = await s.open()
  const session = await s.agent(workspace)
  replace(session.fs)
  const wasDirectory = statSync(s.at(path)).isDirectory()
  const review = await workspace.review('one')
  expect((await review.changes()).changes).toHaveLength(2)
  await review.approve()
  expect((await review.changes()).changes.map(({ state }) => state)).toEqual(['approved', 'approved'])
  await review.commit()
  expect(statSync(s.at(path)).isDirectory()).toBe(!wasDirectory)
  await session.flush()
  expect(await stagedChanges(session)).toEqual([])
})
