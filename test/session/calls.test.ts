import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { expect, it, onTestFinished, vi } from 'vitest'
import { LedgerOutbox } from '../../src/stage/ledger-outbox.js'
import { metadataOf, reasonOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

it('a tool call may write again as soon as the ledger can be written', async () => {
  const project = testWorkspace()
  const workspace = await project.open()
  const session = await startSession(workspace)
  await session.flush()
  const ledger = `${project.root}/.orchestration/agent_trace.jsonl`
  const write = (path: string) =>
    session.toolCall({ tool: 'write_file', kind: 'edit', writes: [{ effect: 'put' as const, path }] }, () =>
      session.fs.writeFileSync(path, 'x'),
    )
  renameSync(ledger, `${ledger}.away`)
  mkdirSync(ledger)
  await write('src/a.ts')
  expect(await reasonOf(() => session.flush())).toBe('ledger_unavailable')
  expect(await reasonOf(() => write('src/b.ts'))).toBe('ledger_unavailable')
  rmSync(ledger, { recursive: true })
  renameSync(`${ledger}.away`, ledger)
  await write('src/c.ts')
  await session.flush()
  expect((await session.changes()).changes.map(({ path }) => path)).toEqual(['src/a.ts', 'src/c.ts'])
  const calls = (await recordsOf(workspace)).filter((record) => metadataOf(record).type === 'tool_call')
  expect(calls).toHaveLength(3)
})

it('a tool call that fails on a full disk reports its own error', async () => {
  const session = await startSession(await testWorkspace().open())
  const full = vi.spyOn(LedgerOutbox.prototype, 'toolCall').mockImplementation(() => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  })
  onTestFinished(() => full.mockRestore())
  const call = (work: () => unknown) => session.toolCall({ tool: 'run', kind: 'command' }, async () => work())
  const lost = () => {
    throw new Error('src/a.ts is lost.')
  }
  await expect(call(lost)).rejects.toThrow('src/a.ts is lost.')
  await expect(call(() => undefined)).rejects.toThrow('ENOSPC')
})
