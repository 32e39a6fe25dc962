import { EventEmitter, once } from 'node:events'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, vi } from 'vitest'
import { countProcesses } from '../../support/processes.js'
import { FILES, INTENTS, startSession, testWorkspace } from '../../support/workspace.js'
import { callerOf, clientOn, clientOnHost, newClient, textOf } from './fixture.js'

describe('a call that its client cancels', () => {
  async function setUpQuestion() {
    const project = testWorkspace()
    project.write('.orchestration/policy.yaml', 'access: {"src/a.ts": ask}\n')
    const client = newClient({ elicitation: {} })
    const events = new EventEmitter()
    const asked = once(events, 'asked')
    client.setRequestHandler(ElicitRequestSchema, async () => {
      const answered = once(events, 'answer')
      events.emit('asked')
      await answered
      return { action: 'accept', content: { approve: true } }
    })
    await clientOnHost(project.root, { session: 's', intent: 'INT-001', askClient: true }, client)
    return { client, asked, answer: () => events.emit('answer') }
  }

  it.each([
    ['write_file', { path: 'src/a.ts', content: 'x\n' }],
    ['edit_file', { path: 'src/a.ts', edits: [{ oldText: 'a one', newText: 'x' }] }],
    ['delete_file', { path: 'src/a.ts' }],
    ['move_file', { source: 'src/a.ts', destination: 'src/moved.ts' }],
  ])('%s stages nothing, though its user approves afterwards', async (name, args) => {
    const { client, asked, answer } = await setUpQuestion()
    const cancel = new AbortController()
    const called = client.callTool({ name, arguments: args }, undefined, { signal: cancel.signal })
    await asked
    cancel.abort(new Error('cancelled'))
    await expect(called).rejects.toThrow('cancelled')
    answer()
    const call = callerOf(client)
    expect(textOf(await call('read_text_file', { path: 'src/a.ts' }))).toBe('a one\na two\n')
    expect(textOf(await call('execute_command', { command: 'cat src/a.ts' }))).toContain('a one\na two\n')
  })

  it.each([
    ['execute_command', { command: 'setsid sleep 84201 & sleep 84201' }],
    ['run_checks', {}],
  ])('%s ends and leaves no process', async (name, args) => {
    const checked = INTENTS.replace(
      '    constraints:',
      '    acceptance_criteria: [{run: sleep 84201}]\n    constraints:',
    )
    const project = testWorkspace(FILES, checked)
    const session = await startSession(await project.open())
    session.fs.writeFileSync('src/b.ts', 'new\n')
    const client = await clientOn(session)
    const cancel = new AbortController()
    const called = client.callTool({ name, arguments: args }, undefined, { signal: cancel.signal })
    await vi.waitFor(() => expect(countProcesses('84201')).toBeGreaterThan(0), 20_000)
    cancel.abort(new Error('cancelled'))
    await expect(called).rejects.toThrow('cancelled')
    await vi.waitFor(() => expect(countProcesses('84201')).toBe(0), 20_000)
  })
})
