import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished, vi } from 'vitest'
import { escrowLine } from '../../src/client-settings/texts.js'
import { installLauncher } from '../../src/surface/index.js'
import { tempDir } from '../support/facade.js'

/** A user with the package in some directory, and nothing of it on PATH. */
function install() {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  vi.stubEnv('XDG_STATE_HOME', `${path}/state`)
  onTestFinished(() => void vi.unstubAllEnvs())
  mkdirSync(`${path}/it's here`)
  const entry = `${path}/it's here/main.js`
  writeFileSync(entry, 'console.log("ours", ...process.argv.slice(2))\n')
  writeFileSync(`${path}/it's here/sh.js`, 'console.log("shell")\n')
  installLauncher(entry)
  const run = (args: string, PATH = '/usr/bin:/bin') => {
    const env = { PATH, HOME: path, XDG_STATE_HOME: `${path}/state` }
    return spawnSync('/bin/sh', ['-c', escrowLine(args)], { env, encoding: 'utf8' })
  }
  return { path, entry, run }
}

it('starts the escrow that wrote it if PATH has none', () => {
  const { path, run } = install()
  expect(run("hook claude 'a b'")).toMatchObject({ status: 0, stdout: 'ours hook claude a b\n' })
  const sh = spawnSync(`${path}/state/escrowfs/bin/escrow-sh`, { encoding: 'utf8' })
  expect(sh).toMatchObject({ status: 0, stdout: 'shell\n' })
})

it('runs the next one on PATH if that is gone, and otherwise prints what to do', () => {
  const { path, entry, run } = install()
  rmSync(entry)
  expect(run('status')).toMatchObject({ status: 127, stderr: expect.stringContaining("run 'escrow init'") })
  mkdirSync(`${path}/other`)
  writeFileSync(`${path}/other/escrow`, '#!/bin/sh\necho other "$@"\n')
  chmodSync(`${path}/other/escrow`, 0o755)
  expect(run('status', `${path}/other:/usr/bin:/bin`)).toMatchObject({ status: 0, stdout: 'other status\n' })
})
