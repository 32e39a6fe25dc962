import { appendFileSync, truncateSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { toldReader } from '../../src/terminal/told.js'
import { tempDir } from '../support/facade.js'
import { own, recordsOf, testWorkspace, working } from '../support/workspace.js'

const line = (more: object) => `${JSON.stringify({ reason: 'scope_violation', message: 'No.', ...more })}\n`

it('reads each whole line once, and nothing that is no refusal', () => {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  const file = `${path}/told`
  const read = toldReader(file)
  expect(read()).toEqual([])
  writeFileSync(file, `${line({ tool: 'Write', file: 'a' })}${line({})}{"reason":"scope`)
  const plain = { reason: 'scope_violation', message: 'No.' }
  expect(read()).toEqual([{ ...plain, tool: 'Write', file: 'a' }, plain])
  appendFileSync(file, `_violation","message":"No."}\n`)
  expect(read()).toEqual([plain])
  expect(read()).toEqual([])
  for (const odd of ['', 'null', '[]', '7', '{', '{"reason":"toString","message":"x"}', '{"reason":"hidden"}', '\0'])
    appendFileSync(file, `${odd}\n`)
  appendFileSync(file, line({ message: 'x'.repeat(601) }))
  appendFileSync(file, line({ file: 7, tool: 'x'.repeat(601), more: 1 }))
  expect(read()).toEqual([plain])
})

it('is bounded, whatever is written or taken away', () => {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  const file = `${path}/told`
  writeFileSync(file, line({}).repeat(1_500))
  const read = toldReader(file)
  expect([read().length, read().length]).toEqual([1_000, 0])
  truncateSync(file)
  const other = toldReader(file)
  writeFileSync(file, line({}).repeat(20))
  expect(other()).toHaveLength(20)
  writeFileSync(file, line({}))
  expect(other()).toHaveLength(1)
  // A line without an end is no reason to hear nothing any more.
  writeFileSync(file, `${'x'.repeat(600_000)}\n${line({})}`)
  expect([other(), other(), other()]).toEqual([[], [], [expect.anything()]])
})

it('a command’s lines are records of the session, which say that it was told them; the file cannot be taken away', async () => {
  const workspace = await testWorkspace().open()
  const session = await working(workspace, 'r1')
  const told = { tool: 'Write', file: 'README.md', message: 'Scope Violation: \u001b[2Jx.', intentId: 'INT-001' }
  const command = `printf '%s' '${line(told)}' >> /run/escrow/told; rm -f /run/escrow/told; ls /run/escrow`
  const { stdout } = await session.exec(command)
  expect(stdout).toBe('told\n')
  const running = await session.start(`printf '%s' '${line({ tool: 'Edit' })}' >> /run/escrow/told`)
  await running.wait()
  await session.flush()
  const denied = (await recordsOf(workspace)).map(own).filter(({ type }) => type === 'denied')
  expect(denied.map(({ reason, path, tool_name, told }) => [reason, path, tool_name, told])).toEqual([
    ['scope_violation', 'README.md', 'Write', true],
    ['scope_violation', undefined, 'Edit', true],
  ])
})
