import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { WITHOUT_REGISTER_WARNING } from '../support/node-warnings.js'

it('the demo has the outcomes of its transcripts, with the staged diff in colour', () => {
  const { NO_COLOR: _none, FORCE_COLOR: _forced, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', './ts-node.mjs', 'examples/demo.ts'], {
    env: { ...env, ...WITHOUT_REGISTER_WARNING },
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  expect(stderr).toBe('')
  expect(stdout).toContain('Everything went as the transcripts state.')
  expect(stdout).not.toContain('NOT AS STATED')
  expect(stdout).toContain('still of INT-001')
  expect(stdout).toMatch(/INTENT_EVOLUTION\S* +src\/\S+ \S*\(content\)/)
  expect(stdout).toMatch(/^ *\u001b\[32m\+.*\u001b\[39m$/m)
  expect(stdout).toMatch(/^ *\u001b\[31m-.*\u001b\[39m$/m)
  expect(status).toBe(0)
}, 120_000)
