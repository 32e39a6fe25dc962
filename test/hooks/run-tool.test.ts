import { describe, expect, it } from 'vitest'
import type { ToolCall } from '../../src/core/api.js'
import { runTool } from '../../src/hooks/index.js'
import { metadataOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

const patch = (...paths: string[]) =>
  ['*** Begin Patch', ...paths.flatMap((path) => [`*** Add File: ${path}`, '+x']), '*** End Patch'].join('\n')

describe('runTool', () => {
  it('judges every path before the work begins, and refuses a patch as a whole', async () => {
    const session = await startSession(await testWorkspace().open())
    let ran = false
    const use = { id: 'c', name: 'apply_patch', args: { patch: patch('src/new.ts', 'mail/new.ts') } }
    const outcome = await runTool(session, use, () => {
      ran = true
    })
    expect(outcome).toMatchObject({
      status: 'denied',
      denial: { type: 'tool_error', tool: 'apply_patch', reason: 'scope_violation', file: 'mail/new.ts' },
    })
    expect(ran).toBe(false)
  })

  it.each(['execute_command', 'use_mcp_tool', 'mcp--x--y', 'made_up'])(
    '%s, whose paths are unknown, needs an intent',
    async (name) => {
      const workspace = await testWorkspace().open()
      const session = await workspace.session({ id: 'agent' })
      const run = () => runTool(session, { name, args: { command: 'ls' } }, () => 'ran')
      expect(await run()).toMatchObject({ status: 'denied', denial: { reason: 'missing_intent_id', tool: name } })
      await session.selectIntent('INT-001')
      expect(await run()).toMatchObject({ status: 'done', value: 'ran' })
      await session.flush()
      const kinds = (await recordsOf(workspace)).map((record) => [metadataOf(record).type, metadataOf(record).outcome])
      expect(kinds.filter(([type]) => type !== 'intent_selected')).toEqual([
        ['denied', undefined],
        ['tool_call', 'denied'],
        ['tool_call', 'ok'],
      ])
    },
  )

  it('denies commands under an invalid policy', async () => {
    const project = testWorkspace()
    project.write('.orchestration/policy.yaml', 'nonsense: true\n')
    const session = await (await project.open()).session({ id: 'agent' })
    const outcome = await runTool(session, { name: 'execute_command', args: {} }, () => 'ran')
    expect(outcome).toMatchObject({ status: 'denied', denial: { reason: 'policy_invalid' } })
  })

  it('gate.tools: all blocks reads until an intent is selected, but not the selection', async () => {
    const project = testWorkspace()
    project.write('.orchestration/policy.yaml', 'gate: {tools: all}\n')
    const session = await (await project.open()).session({ id: 'agent' })
    const read = () => runTool(session, { name: 'read_file', args: { path: 'src/a.ts' } }, () => 'text')
    expect(await read()).toMatchObject({ status: 'denied', denial: { reason: 'missing_intent_id' } })
    const select = () => session.selectIntent('INT-001')
    expect(await runTool(session, { name: 'select_active_intent', args: {} }, select)).toMatchObject({ status: 'done' })
    expect(await read()).toMatchObject({ status: 'done', value: 'text' })
  })

  it('returns an error of the tool as an outcome, also for a closed session', async () => {
    const session = await startSession(await testWorkspace().open())
    const boom = new Error('boom')
    const fail = () => {
      throw boom
    }
    expect(await runTool(session, { name: 'list_files', args: {} }, fail)).toEqual({
      status: 'failed',
      error: boom,
      feedback: [],
    })
    await session.close()
    const after = await runTool(session, { name: 'list_files', args: {} }, () => 'ran')
    expect(after).toMatchObject({ status: 'denied', denial: { reason: 'session_busy' }, feedback: [] })
  })

  it("returns the reviewer's feedback with the outcome, also of a refusal", async () => {
    const workspace = await testWorkspace().open()
    const session = await startSession(workspace)
    const write = (text: string) =>
      runTool(session, { name: 'write_to_file', args: { path: 'src/a.ts' } }, () =>
        session.fs.promises.writeFile('src/a.ts', text),
      )
    await write('mine\n')
    await (await workspace.review('agent')).reject('src/a.ts', 'Keep two lines.', { name: 'Ann' })
    const refused = await write('mine again\n')
    expect(refused).toMatchObject({
      status: 'denied',
      denial: { reason: 'user_rejected' },
      feedback: [{ path: 'src/a.ts', kind: 'rejected', reason: 'Keep two lines.' }],
    })
    expect(await write('mine once more\n')).toMatchObject({ status: 'done', feedback: [] })
  })
})

describe('the gate of a call', () => {
  async function setUpGoverned() {
    const workspace = await testWorkspace().open()
    const session = await startSession(workspace)
    const call = (gate: ToolCall['gate'], path = 'src/a.ts') =>
      runTool(
        session,
        { id: 'c', name: 'write_to_file', args: { path } },
        () => session.fs.promises.writeFile(path, 'x'),
        { ...(gate && { gate }) },
      )
    return { workspace, session, call }
  }

  it('can refuse, and its refusal is recorded like any other', async () => {
    const { workspace, session, call } = await setUpGoverned()
    const denial = { reason: 'access_denied', message: 'Not on a Friday.', file: 'src/a.ts' } as const
    expect(await call(async () => denial)).toMatchObject({ status: 'denied', denial: { message: 'Not on a Friday.' } })
    await session.flush()
    const denied = (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'denied')
    expect(denied).toMatchObject([{ reason: 'access_denied', path: 'src/a.ts', words: 'Not on a Friday.' }])
  })

  it('cannot allow what policy denies, whether it asked policy or not', async () => {
    const { workspace, session, call } = await setUpGoverned()
    expect(await call(async () => undefined, 'mail/m.ts')).toMatchObject({ denial: { reason: 'scope_violation' } })
    const shrug = async ({ judge }: { judge(): Promise<unknown> }) => {
      await judge()
      return undefined
    }
    expect(await call(shrug, 'mail/m.ts')).toMatchObject({ denial: { reason: 'scope_violation' } })
    await session.flush()
    const denied = (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'denied')
    expect(denied.length).toBe(2)
  })

  it('fails the call when it throws, and nothing is written', async () => {
    const { session, call } = await setUpGoverned()
    const outcome = await call(async () => {
      throw new Error('gate broke')
    })
    expect(outcome).toMatchObject({ status: 'failed' })
    expect((await session.changes()).changes).toEqual([])
  })

  it('has changes judged that happen while it waits', async () => {
    const { session, call } = await setUpGoverned()
    const outcome = await call(async ({ judge }) => {
      expect(await judge()).toBeUndefined()
      await session.selectIntent('INT-002')
      return undefined
    })
    expect(outcome).toMatchObject({ status: 'denied', denial: { reason: 'scope_violation', intent_id: 'INT-002' } })
  })
})

describe('an ambient call', () => {
  it("owns the host's writes between its begin and end, and an edit tool's own re-read sets no base", async () => {
    const project = testWorkspace()
    const session = await startSession(await project.open())
    await session.toolCall({ tool: 'read_file', kind: 'read' }, () => session.fs.readFileSync('src/a.ts'))
    project.write('src/a.ts', 'someone else\n')
    let end = () => {}
    const call = { id: 'c', tool: 'apply_diff', kind: 'edit', ambient: true } as const
    const running = session.toolCall(call, () => new Promise<void>((done) => (end = done)))
    await new Promise((next) => setImmediate(next))
    session.fs.readFileSync('src/a.ts')
    expect(() => session.fs.writeFileSync('src/a.ts', 'mine')).toThrow(/Stale File/)
    session.fs.writeFileSync('src/new.ts', 'mine')
    end()
    await running
    expect((await session.changes()).changes).toMatchObject([{ path: 'src/new.ts', calls: ['c'] }])
    session.fs.readFileSync('src/a.ts')
    session.fs.writeFileSync('src/a.ts', 'mine')
  })
})
