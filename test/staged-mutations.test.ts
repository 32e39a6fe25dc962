import { expect, it } from 'vitest'
import { testWorkspace, working } from './support/workspace.js'

it('a review says of what is too much to be compared at once how much is, and compares the rest', async () => {
  const small = 'export const a = 1\n'
  const large = small + '// prose\n'.repeat(45_000)
  const workspace = await testWorkspace({ 'src/a.ts': small, 'src/b.ts': large }).open()
  const session = await working(workspace)
  session.fs.writeFileSync('src/a.ts', `\n${small}`)
  session.fs.writeFileSync('src/b.ts', `\n${large}`)
  const { changes } = await (await workspace.review(session.id)).changes()
  expect(changes.map(({ path, mutation }) => [path, mutation?.rule, mutation?.detail])).toEqual([
    ['src/a.ts', 'layout', expect.any(String)],
    ['src/b.ts', 'budget', 'too much was changed at once to compare all of it'],
  ])
})
