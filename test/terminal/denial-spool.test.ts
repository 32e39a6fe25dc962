import { appendFileSync, truncateSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { spoolReader } from '../../src/terminal/denial-spool.js'
import { tempDir } from '../support/facade.js'
import { metadataOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

const line = (more: object) => `${JSON.stringify({ reason: 'scope_violation', message: 'No.', ...more })}\n`

it('the reader returns each whole line once, and no line that is not a denial', () => {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  const file = `${path}/told`
  const readSpool = spoolReader(file)
  const read = () => readSpool().denials
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

it('the reader counts the lines beyond its limit, over all readings', () => {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  const file = `${path}/told`
  const read = spoolReader(file)
  writeFileSync(file, `${line({ message: 'x'.repeat(600) }).repeat(900)}nothing\n`)
  const first = read()
  expect([first.denials.length, first.more, first.unread]).toEqual([900, 0, 0])
  appendFileSync(file, `${line({}).repeat(150)}nothing\n${line({}).repeat(20)}`)
  const second = read()
  expect([second.denials.length, second.more, second.unread]).toEqual([100, 70, 0])
  appendFileSync(file, line({}))
  expect(read()).toEqual({ denials: [], delivered: [], more: 1, unread: 0 })
  // The part that is too large to be parsed is counted in bytes.
  appendFileSync(file, `${line({}).repeat(3)}${'x'.repeat(20 << 20)}\n`)
  const flood = read()
  expect([flood.denials, flood.more]).toEqual([[], 3])
  expect(flood.unread).toBeGreaterThan(1 << 20)
  expect(read()).toEqual({ denials: [], delivered: [], more: 0, unread: 0 })
})

it('the reader is bounded, whatever is written or removed', () => {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  const file = `${path}/told`
  writeFileSync(file, line({}).repeat(1_500))
  const readSpool = spoolReader(file)
  expect([readSpool().denials.length, readSpool().denials.length]).toEqual([1_000, 0])
  truncateSync(file)
  const other = spoolReader(file)
  const read = () => other().denials
  writeFileSync(file, line({}).repeat(20))
  expect(read()).toHaveLength(20)
  writeFileSync(file, line({}))
  expect(read()).toHaveLength(1)
  // A line without an end does not stop the reader.
  writeFileSync(file, `${'x'.repeat(600_000)}\n${line({})}`)
  expect(read()).toEqual([expect.anything()])
})

it('a command’s lines become records of the session, marked as reported; the file cannot be removed', async () => {
  const workspace = await testWorkspace().open()
  const session = await startSession(workspace, 'r1')
  const denial = { tool: 'Write', file: 'README.md', message: 'Scope Violation: \u001b[2Jx.', intentId: 'INT-001' }
  const command = `printf '%s' '${line(denial)}' >> /run/escrow/told; rm -f /run/escrow/told; ls /run/escrow`
  const { stdout } = await session.exec(command)
  expect(stdout).toBe('told\ntrust.json\nwords\nwrite-only\n')
  const running = await session.start(`printf '%s' '${line({ tool: 'Edit' })}' >> /run/escrow/told`)
  await running.wait()
  await session.flush()
  const denied = (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'denied')
  expect(denied.map(({ reason, path, tool_name, reported }) => [reason, path, tool_name, reported])).toEqual([
    ['scope_violation', 'README.md', 'Write', true],
    ['scope_violation', undefined, 'Edit', true],
  ])
})

it('the ledger counts the lines that a flood leaves out', async () => {
  const workspace = await testWorkspace().open()
  const session = await startSession(workspace, 'r1')
  const flood = `i=0; while [ $i -lt 1200 ]; do echo '${line({}).trim()}'; i=$((i+1)); done >> /run/escrow/told`
  await session.exec(flood)
  const running = await session.start(flood)
  await running.wait()
  await session.flush()
  const denied = (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'denied')
  expect(denied.filter(({ more }) => more === undefined)).toHaveLength(2_000)
  expect(denied.filter(({ more }) => more !== undefined)).toMatchObject([
    { reason: 'limit_exceeded', reported: true, more: 200, words: expect.stringContaining('200 more refusals') },
    { reason: 'limit_exceeded', reported: true, more: 200 },
  ])
})
