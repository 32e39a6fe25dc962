import { expect, it } from 'vitest'
import { openWorkspace } from '../../src/index.js'
import { FILES, INTENTS, testWorkspace } from '../support/workspace.js'
import { escrowAt } from './real.js'

it('blame of a directory names a file in it', async () => {
  const { root } = testWorkspace(FILES, INTENTS)
  const { code, err } = await escrowAt(root, ['blame', 'src'])
  expect([code, err]).toEqual([
    1,
    "escrow: src is a directory. (nothing_selected)\nName a file in it: 'escrow blame src/a.ts'.\n",
  ])
})

it('log with a path names the option and the command for it', async () => {
  const { root } = testWorkspace(FILES, INTENTS)
  const { code, out, err } = await escrowAt(root, ['log', 'src/a.ts'])
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain("'escrow log --path src/a.ts'")
  expect(err).toContain("'escrow blame src/a.ts'")
})

it('undo of an unknown commit names the command that lists them', async () => {
  const { root } = testWorkspace(FILES, INTENTS)
  const { code, err } = await escrowAt(root, ['undo', 'two'])
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('no finished commit two in this workspace. (nothing_selected)'),
  ])
  expect(err).toContain("'escrow log'")
})

it('diff with several sessions names a command for one of them', async () => {
  const { root } = testWorkspace(FILES, INTENTS)
  const workspace = await openWorkspace(root)
  for (const id of ['one', 'two']) {
    const session = await workspace.session({ id })
    await session.selectIntent('INT-001')
    session.fs.writeFileSync(`src/${id}.ts`, 'x\n')
  }
  await workspace.close()
  const { code, err } = await escrowAt(root, ['diff'])
  expect([code, err]).toEqual([1, expect.stringMatching(/Name one of them, as in 'escrow diff (one|two)'\./)])
})
