import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { compileOnce } from '../support/compiled.js'

const program = () => [`${compileOnce()}/test/children/escrow.js`, '--help']

it('output that cannot be written fails with one line, and no stack trace', () => {
  const full = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(full))
  const { status, stderr } = spawnSync(process.execPath, program(), {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^escrow: The output cannot be written: ENOSPC.*\n$/)])
  expect(spawnSync(process.execPath, program(), { stdio: ['ignore', 'ignore', full] }).status).toBe(0)
})
