import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { layoutOf } from '../src/core/layout.js'
import { testWorkspace, working } from './support/workspace.js'

const ANN = { name: 'Ann' }

it('an approval whose commit died before it was noted does not hold for the same change made again', async () => {
  const at = testWorkspace()
  const workspace = await at.open()
  const agent = await working(workspace)
  agent.fs.writeFileSync('src/a.ts', 'new\n')
  agent.fs.writeFileSync('src/b.ts', 'other\n')
  const review = await workspace.review('agent')
  await review.approve('src/a.ts', ANN)
  expect((await review.commit()).committed).toEqual(['src/a.ts'])

  const { review: log } = layoutOf(at.root).session('agent')
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
  const kept = lines.filter((line) => !line.includes('"kind":"committed"'))
  expect(kept.length).toBe(lines.length - 1)
  writeFileSync(log, `${kept.join('\n')}\n`)

  await agent.flush()
  at.write('src/a.ts', 'a one\na two\n')
  agent.fs.readFileSync('src/a.ts')
  agent.fs.writeFileSync('src/a.ts', 'new\n')
  await agent.flush()
  const again = await (await at.open()).review('agent')
  const states = (await again.changes()).changes.map(({ path, state }) => [path, state])
  expect(states).toEqual([
    ['src/a.ts', 'pending'],
    ['src/b.ts', 'pending'],
  ])
  expect((await again.commit()).committed).toEqual([])
  expect(readFileSync(log, 'utf8').match(/"kind":"committed"/g)).toHaveLength(1)
  await again.changes()
  expect(readFileSync(log, 'utf8').match(/"kind":"committed"/g)).toHaveLength(1)
})
