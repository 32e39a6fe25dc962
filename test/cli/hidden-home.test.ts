import { expect, it, onTestFinished, vi } from 'vitest'
import { describeHiddenHome } from '../../src/cli/hidden-home.js'
import { escrow, workspaceDir } from './harness.js'

it.each(['/home/ada', '/tmpfiles', '/root'])('doctor says nothing about the home directory %s', (home) => {
  expect(describeHiddenHome(home)).toBe('')
})

it('doctor says that commands do not see a home directory below /tmp', async () => {
  vi.stubEnv('HOME', '/tmp/ada')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { out, code } = await escrow(workspaceDir(), ['doctor'])
  expect(code).toBe(0)
  expect(out).toContain(
    'Commands do not see your home directory /tmp/ada: they have their own /tmp.\n' +
      'Programs do not find your settings, such as ~/.gitconfig. Use a HOME elsewhere.\n',
  )
})
