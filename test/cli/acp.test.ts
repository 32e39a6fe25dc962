import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { compileOnce } from '../support/compiled.js'
import { testWorkspace } from '../support/workspace.js'

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s ends escrow acp with its exit code, and escrow says so', async (signal, code) => {
  const { root } = testWorkspace({ 'src/a.ts': 'x' })
  const command = [`${compileOnce()}/test/children/escrow.js`, 'acp', '--', 'sh', '-c', 'echo ready >&2; cat']
  const child = spawn(process.execPath, command, { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let errors = ''
  const ready = new Promise<void>((resolve) => {
    child.stderr.on('data', (chunk) => {
      errors += String(chunk)
      if (errors.includes('ready')) resolve()
    })
  })
  await ready
  child.kill(signal)
  expect(await once(child, 'close')).toEqual([code, null])
  expect(errors).toContain('escrow: A signal ended escrow.\n')
  expect(errors).not.toContain('The editor closed the connection.')
})
