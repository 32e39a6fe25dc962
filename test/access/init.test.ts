import fs from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { initWorkspace, openWorkspace } from '../../src/index.js'
import { runEscrow } from '../cli/real.js'
import { tempDir } from '../support/facade.js'

function place(): string {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  return path
}

/** Runs the command as a program does: without a terminal or a reviewer's key. */
function escrow(root: string, ...args: string[]) {
  const env = { ...process.env, ESCROW_REVIEWER_KEY: '', ESCROW_SESSION: '' }
  return runEscrow(root, args, { env })
}

it('requires a person for a new workspace: no program approves, commits or declares an intent', async () => {
  const root = place()
  expect(escrow(root, 'init', '--yes').status).toBe(0)
  const workspace = await openWorkspace(root)
  const { id } = await workspace.intents.add({ name: 'All', ownedScope: ['**'] })
  const session = await workspace.session({ id: 'agent' })
  await session.selectIntent(id)
  session.fs.writeFileSync('a.txt', 'a\n')
  await session.close()
  await workspace.close()
  for (const args of [
    ['approve', 'agent'],
    ['commit', 'agent'],
    ['intents', 'add', 'More', '--scope', '**'],
    ['intents', 'scope', id, '--add', 'more/**'],
  ])
    expect([args, escrow(root, ...args)]).toMatchObject([
      args,
      { status: 1, stderr: expect.stringContaining('Policy requires a person') },
    ])
  expect(fs.existsSync(`${root}/a.txt`)).toBe(false)
})

it('lets any program decide in a workspace created with --approval any', async () => {
  for (const make of [
    async (root: string) => void escrow(root, 'init', '--yes', '--approval-by', 'any'),
    async (root: string) => void (await initWorkspace(root, { approvalBy: 'any' })),
  ]) {
    const root = place()
    await make(root)
    expect(escrow(root, 'intents', 'add', 'More', '--scope', '**')).toMatchObject({ status: 0, stderr: '' })
  }
  expect(escrow(place(), 'init', '--approval-by', 'nobody').status).toBe(2)
})

it('keeps an existing policy', async () => {
  const root = place()
  fs.mkdirSync(`${root}/.orchestration`)
  fs.writeFileSync(`${root}/.orchestration/policy.yaml`, 'access: {}\n')
  expect((await initWorkspace(root)).kept).toEqual(['.orchestration/policy.yaml'])
  expect(fs.readFileSync(`${root}/.orchestration/policy.yaml`, 'utf8')).toBe('access: {}\n')
})
