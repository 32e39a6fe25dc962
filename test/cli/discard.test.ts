import { expect, it } from 'vitest'
import { INTENTS, testWorkspace } from '../support/workspace.js'
import { escrowAt } from './real.js'

async function setUpStaged(...paths: string[]) {
  const project = testWorkspace({ 'src/a.ts': 'a\n' }, INTENTS)
  const workspace = await project.open()
  const session = await workspace.session({ id: 'agent' })
  await session.selectIntent('INT-001')
  session.fs.mkdirSync(`${project.root}/src/new/deep`, { recursive: true })
  for (const path of paths) session.fs.writeFileSync(`${project.root}/${path}`, 'new\n')
  await session.close()
  await workspace.close()
  return project.root
}

it('removes the directories that contained only discarded files', async () => {
  const root = await setUpStaged('src/new/deep/a.ts', 'src/new/deep/b.ts')
  expect((await escrowAt(root, ['discard', 'agent', '**'])).out).toBe(
    "Discarded from session 'agent': nothing is staged now.\n",
  )
})

it('keeps a directory that contains another staged file', async () => {
  const root = await setUpStaged('src/new/b.ts', 'src/new/deep/a.ts')
  await escrowAt(root, ['discard', 'agent', 'src/new/deep/a.ts'])
  expect((await escrowAt(root, ['diff', 'agent', '--name-only'])).out).toBe('src/new/b.ts\n')
})
