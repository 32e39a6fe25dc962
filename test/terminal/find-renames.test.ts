import { expect, it } from 'vitest'
import { site } from './site.js'

it('files with equal content keep their names in a moved directory, also if one of them is edited', async () => {
  const same = 'export {}\n'
  const { session } = await site({ 'src/old/a.ts': same, 'src/old/b.ts': same, 'src/old/c.ts': same })
  const { effects } = await session.exec('mv src/old src/new && echo edited >> src/new/a.ts')
  expect(effects.changes.flatMap(({ from, path }) => (from === undefined ? [] : [[from, path]]))).toEqual([
    ['src/old/b.ts', 'src/new/b.ts'],
    ['src/old/c.ts', 'src/new/c.ts'],
  ])
})

it('a file with a new name is matched after the files that kept their names', async () => {
  const same = 'export {}\n'
  const { session } = await site({ 'src/old/a.ts': same, 'src/old/b.ts': same })
  const { effects } = await session.exec('mv src/old src/new && mv src/new/a.ts src/new/z.ts')
  expect(effects.changes.flatMap(({ from, path }) => (from === undefined ? [] : [[from, path]]))).toEqual([
    ['src/old/b.ts', 'src/new/b.ts'],
    ['src/old/a.ts', 'src/new/z.ts'],
  ])
})
