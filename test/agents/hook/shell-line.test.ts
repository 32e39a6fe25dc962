import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished, vi } from 'vitest'
import { buildShellLine } from '../../../src/agents/hook/shell-line.js'
import { openJudge } from '../../../src/index.js'
import { installLauncher, launcherDir } from '../../../src/surface/index.js'
import { tempDir } from '../../support/facade.js'
import { testWorkspace } from '../../support/workspace.js'

/** A state directory with our launcher, and a directory with an `escrow-sh` of the user's. */
function setUpPerson() {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  vi.stubEnv('XDG_STATE_HOME', `${path}/state`)
  onTestFinished(() => void vi.unstubAllEnvs())
  installLauncher('/nowhere/main.js')
  mkdirSync(`${path}/bin`)
  writeFileSync(`${path}/bin/escrow-sh`, '#!/bin/sh\n', { mode: 0o755 })
  return { bin: `${path}/bin`, launcher: launcherDir() }
}

it('names our shell as the client finds it: by name if on PATH, else by the path of the launcher', async () => {
  const judge = await openJudge(testWorkspace().root, { session: 'claude' })
  const { bin, launcher } = setUpPerson()
  const line = (PATH: string) => buildShellLine(judge, 'npm test', { PATH })
  expect(line(`${launcher}:${bin}:/usr/bin`)).toBe("escrow-sh --session claude -c 'npm test'")
  expect(line(`${launcher}:/usr/bin`)).toBe(`${launcher}/escrow-sh --session claude -c 'npm test'`)
  expect(line('/usr/bin')).toMatch(/^escrow-sh /)
})
