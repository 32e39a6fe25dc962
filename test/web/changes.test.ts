import { expect, it } from 'vitest'
import type { WireChanges } from '../../src/web/wire.js'
import { setUp } from './setup.js'

it('the page gets the changes by risk, each with its facts', async () => {
  const { ask, session, project } = await setUp()
  session.fs.writeFileSync(`${project.root}/src/aaa.ts`, 'export const a = 1\n')
  session.fs.writeFileSync(`${project.root}/src/zzz.ts`, 'eval(a)\n')
  await session.flush()
  const listChanges = async (query: string) => {
    const { groups } = (await ask(`/api/sessions/cents/changes${query}`)).json<WireChanges>()
    return groups.flatMap(({ title, changes }) => changes.map(({ path, why }) => [title, path, why]))
  }
  expect(await listChanges('')).toMatchObject([
    [expect.stringContaining('Step'), 'src/aaa.ts', []],
    [expect.stringContaining('Step'), 'src/zzz.ts', []],
  ])
  const note = 'note: Behaviour changes, and no test in the set changes with it.'
  expect(await listChanges('?by=risk')).toEqual([
    [
      'Stop: understand these before you approve',
      'src/zzz.ts',
      ['stop: A text runs as code: `eval(a)`. (line 1)', note],
    ],
    ['Good to know', 'src/aaa.ts', [note]],
  ])
})

it('changes that were read while the browser started are not read again for the page', async () => {
  const { workspace, served, changes, session, project } = await setUp()
  session.fs.writeFileSync(`${project.root}/src/aaa.ts`, 'export const a = 1\n')
  await session.flush()
  const review = await workspace.review('cents')
  let readings = 0
  const counted: typeof review = {
    ...review,
    changes(options) {
      readings += 1
      return review.changes(options)
    },
  }
  Object.assign(workspace, { review: async () => counted })
  served.prepare('cents')
  expect((await changes()).length).toBeGreaterThan(0)
  expect(readings).toBe(1)
  served.prepare('nobody')
})
