import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { openDatabase } from '../../src/hub/index.js'
import { thisProcess } from '../../src/os/process.js'
import { tempDir } from '../support/facade.js'

afterEach(() => vi.restoreAllMocks())

/** Lets half a second pass with each look at the clock. */
function hurryClock(): void {
  let passed = 0
  const { now } = performance
  vi.spyOn(performance, 'now').mockImplementation(() => {
    passed += 500
    return now.call(performance) + passed
  })
}

it('a directory that a stopped process has open is not opened a second time', async () => {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  mkdirSync(join(path, 'locks/hub.lock'), { recursive: true })
  writeFileSync(join(path, 'locks/hub.holder'), JSON.stringify({ ...thisProcess(), nonce: 'stopped' }))
  hurryClock()
  await expect(openDatabase({ directory: path }, async () => 'opened')).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('Another process has the hub'),
  })
})
