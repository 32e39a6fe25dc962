import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { CommandOptions } from '../../../src/terminal/command-io.js'
import { aloneFilter } from '../../../src/terminal/landlock/filter.js'
import { type Launcher, runAlone, startLauncher } from '../../../src/terminal/landlock/run.js'
import { tempDir } from '../../support/facade.js'

vi.mock('../../../src/terminal/landlock/filter.js', async (original) => {
  const real = await original<typeof import('../../../src/terminal/landlock/filter.js')>()
  return { ...real, aloneFilter: vi.fn(real.aloneFilter) }
})

function run(overrides: Partial<CommandOptions> = {}, waiting?: Launcher) {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  for (const dir of ['workspace', 'tree', 'tmp']) mkdirSync(`${path}/${dir}`)
  const place = { root: `${path}/workspace`, tree: `${path}/tree`, temporary: `${path}/tmp`, home: `${path}/home` }
  const options: CommandOptions = {
    args: ['/bin/sh', '-c', 'pwd'],
    cwd: place.root,
    env: { PATH: '/usr/bin:/bin' },
    network: false,
    timeout: 20_000,
    processes: 64,
    visibility: { hidden: [], shown: [] },
    readOnlyNames: [],
  }
  return runAlone(place, { ...options, ...overrides }, waiting)
}

it('runs a command in the copy', async () => {
  expect(await run()).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/\/tree\n$/) })
})

it('starts nothing if the filter cannot be applied, and says why', async () => {
  vi.mocked(aloneFilter).mockReturnValueOnce(Buffer.alloc(0))
  await expect(run()).rejects.toThrow('The sandbox could not be set up: seccomp: EINVAL')
})

it('runs a command by a launcher that waits', async () => {
  const launcher = startLauncher(false)
  expect(await run({}, launcher)).toMatchObject({ exitCode: 0 })
  expect(launcher.child.exitCode).toBe(0)
})

it('ends a launcher that gets no job', async () => {
  const launcher = startLauncher(false)
  const ended = once(launcher.child, 'exit')
  vi.mocked(aloneFilter).mockImplementationOnce(() => {
    throw new Error('no filter')
  })
  await expect(run({}, launcher)).rejects.toThrow('no filter')
  await ended
})
