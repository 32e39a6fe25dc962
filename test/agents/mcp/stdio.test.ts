import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { layoutAt } from '../../../src/os/workspace-state.js'
import { startChild } from '../../children/run.js'
import { compileOnce } from '../../support/compiled.js'
import { testWorkspace } from '../../support/workspace.js'

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a client', version: '1' } },
}
const PING = { jsonrpc: '2.0', id: 2, method: 'ping' }

/** Sends lines to `escrow mcp`, and returns its answers. */
function serve(root: string, ...messages: unknown[]) {
  const lines = messages.map((message) => (Buffer.isBuffer(message) ? message : Buffer.from(JSON.stringify(message))))
  const input = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]))
  const command = [`${compileOnce()}/test/children/escrow.js`, 'mcp', '-C', root]
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { input, encoding: 'utf8' })
  const answers: unknown[] = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  return { status, answers, stderr }
}

it('a batch is answered with an error, and the next message is served', () => {
  const { answers } = serve(testWorkspace().root, [HELLO], [], PING)
  const refused = { jsonrpc: '2.0', id: null, error: { code: -32_600, message: expect.stringMatching(/^Batches are/) } }
  expect(answers).toEqual([refused, refused, { jsonrpc: '2.0', id: 2, result: {} }])
})

it('a message that is not valid UTF-8 is answered with an error, and the next one is served', () => {
  const broken = Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
    Buffer.from([0xff]),
    Buffer.from('"}'),
  ])
  const { answers } = serve(testWorkspace().root, broken, PING)
  const error = { code: -32_700, message: 'The message is not valid UTF-8.' }
  expect(answers).toEqual([
    { jsonrpc: '2.0', id: null, error },
    { jsonrpc: '2.0', id: 2, result: {} },
  ])
})

it('a session that cannot be stored ends the process with the reason', () => {
  const { root } = testWorkspace()
  const { sessions } = layoutAt(root)
  mkdirSync(dirname(sessions), { recursive: true })
  writeFileSync(sessions, 'no directory')
  const { status, answers, stderr } = serve(root, HELLO)
  expect([status, answers.length]).toEqual([1, 1])
  expect(stderr).toMatch(/^escrow: Session mcp-\S+ cannot be saved: ENOTDIR/)
})

it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('%s ends it also if the client stays connected', async (signal) => {
  const child = startChild('escrow.ts', 'mcp', '-C', testWorkspace().root)
  child.say(JSON.stringify(HELLO))
  expect(await child.line()).toContain('"id":1')
  await child.kill(signal)
  expect(child.process.exitCode).toBe(0)
})
