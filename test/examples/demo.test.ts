import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('the demo ends as its transcripts state', () => {
  const env = { ...process.env, NO_COLOR: '1' }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', './ts-node.mjs', 'examples/demo.ts'], {
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  expect(stderr).toBe('')
  expect(stdout).toContain('Everything went as the transcripts state.')
  expect(stdout).not.toContain('NOT AS STATED')
  expect(status).toBe(0)
}, 120_000)
