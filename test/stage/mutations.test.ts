import { expect, it, onTestFinished, vi } from 'vitest'
import { createRooTools } from '../../src/agents/roo/index.js'
import { startSession, testWorkspace } from '../support/workspace.js'

it('a review reports the number of files beyond its budget, and compares the rest', async () => {
  const small = 'export const a = 1\n'
  const large = small + '// prose\n'.repeat(45_000)
  const workspace = await testWorkspace({ 'src/a.ts': small, 'src/b.ts': large }).open()
  const session = await startSession(workspace)
  session.fs.writeFileSync('src/a.ts', `\n${small}`)
  session.fs.writeFileSync('src/b.ts', `\n${large}`)
  const { changes } = await (await workspace.review(session.id)).changes()
  expect(changes.map(({ path, mutation }) => [path, mutation?.rule, mutation?.detail])).toEqual([
    ['src/a.ts', 'layout', expect.any(String)],
    ['src/b.ts', 'budget', 'too much was changed at once to compare all of it'],
  ])
})

it('measures changes beyond the budget in the background, while they are staged', async () => {
  const old = 'export const a = 1\n'
  const prose = '// prose\n'.repeat(20_000)
  const paths = ['src/a.ts', 'src/b.ts', 'src/c.ts']
  const project = testWorkspace(Object.fromEntries(paths.map((path) => [path, old + prose])))
  const session = await startSession(await project.open())
  for (const path of paths) session.fs.writeFileSync(path, `\n${old}${prose}`)
  const review = await (await project.open()).review(session.id)
  const rules = async () => (await review.changes()).changes.map(({ path, mutation }) => [path, mutation?.rule])
  expect(await rules()).toEqual([
    ['src/a.ts', 'layout'],
    ['src/b.ts', 'budget'],
    ['src/c.ts', 'budget'],
  ])
  const all = paths.map((path) => [path, 'layout'])
  await vi.waitFor(async () => expect(await rules()).toEqual(all), { timeout: 20_000 })
  session.fs.writeFileSync('src/b.ts', `${old.replace('a', 'b')}\n`)
  expect(await rules()).toEqual([
    ['src/a.ts', 'layout'],
    ['src/b.ts', 'content'],
    ['src/c.ts', 'layout'],
  ])
})

it('measures nothing in the background of a command that ends after its answer', async () => {
  const old = 'export const a = 1\n'
  const project = testWorkspace({ 'src/a.ts': old })
  const session = await startSession(await project.open())
  session.fs.writeFileSync('src/a.ts', `\n${old}`)
  const review = await (await project.open()).review(session.id)
  const rule = async () => (await review.changes({ classes: 'known' })).changes.map(({ mutation }) => mutation?.rule)
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  expect(await rule()).toEqual(['budget'])
  await vi.advanceTimersByTimeAsync(200)
  expect([await rule(), vi.getTimerCount()]).toEqual([['budget'], 1])
  await vi.advanceTimersByTimeAsync(100)
  vi.useRealTimers()
  await vi.waitFor(async () => expect(await rule()).toEqual(['layout']), { timeout: 20_000 })
})

it('a review that asks for known classes parses only declared files; the watch reports the others', async () => {
  const old = 'export const a = 1\n'
  const project = testWorkspace({ 'src/a.ts': old, 'src/b.ts': old })
  const session = await startSession(await project.open())
  const reviewer = await project.open()
  const news: boolean[] = []
  const stop = reviewer.watch(({ classes }) => news.push(classes))
  session.fs.writeFileSync('src/a.ts', `\n${old}`)
  const declared = { path: 'src/b.ts', content: `\n\n${old}`, mutation_class: 'AST_REFACTOR' }
  await createRooTools(session).execute({ id: 'b', name: 'write_to_file', arguments: declared })
  await session.flush()
  const review = await reviewer.review(session.id)
  const rules = async () =>
    (await review.changes({ classes: 'known' })).changes.map(({ path, mutation }) => [path, mutation?.rule])
  expect(await rules()).toEqual([
    ['src/a.ts', 'budget'],
    ['src/b.ts', 'layout'],
  ])
  news.length = 0
  await vi.waitFor(() => expect(news).toContain(true), { timeout: 20_000 })
  await vi.waitFor(
    async () =>
      expect(await rules()).toEqual([
        ['src/a.ts', 'layout'],
        ['src/b.ts', 'layout'],
      ]),
    { timeout: 20_000 },
  )
  stop()
})
