import { mkdirSync } from 'node:fs'
import { expect, it, onTestFinished, vi } from 'vitest'
import * as filter from '../../../src/terminal/landlock/filter.js'
import { runAlone } from '../../../src/terminal/landlock/run.js'
import { tempDir } from '../../support/facade.js'

function run() {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  for (const dir of ['workspace', 'tree', 'tmp']) mkdirSync(`${path}/${dir}`)
  const place = { root: `${path}/workspace`, tree: `${path}/tree`, temporary: `${path}/tmp` }
  return runAlone(place, {
    args: ['/bin/sh', '-c', 'pwd'],
    cwd: place.root,
    env: { PATH: '/usr/bin:/bin' },
    network: false,
    timeout: 20_000,
    processes: 64,
    visibility: { hidden: [], shown: [] },
    readOnlyNames: [],
  })
}

it('runs a command in the copy', async () => {
  expect(await run()).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/\/tree\n$/) })
})

it('starts nothing if the filter cannot be applied, and says why', async () => {
  onTestFinished(() => void vi.restoreAllMocks())
  vi.spyOn(filter, 'aloneFilter').mockReturnValue(Buffer.alloc(0))
  await expect(run()).rejects.toThrow('The sandbox could not be set up: seccomp: EINVAL')
})
