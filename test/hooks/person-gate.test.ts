import { describe, expect, it } from 'vitest'
import { createRooTools } from '../../src/agents/roo/index.js'
import type { Human } from '../../src/hooks/index.js'
import { testWorkspace } from '../support/workspace.js'

async function setUpTools(policy: string, human?: Human) {
  const project = testWorkspace()
  project.write('.orchestration/policy.yaml', policy)
  const session = await (await project.open()).session({ id: 'agent' })
  const roo = createRooTools(session, human ? { human } : {})
  const run = (name: string, args: Record<string, unknown>) => roo.execute({ id: 'c', name, arguments: args })
  return { session, run, write: (path: string) => run('write_to_file', { path, content: 'x\n' }) }
}

describe('the tools of an adapter', () => {
  it('ask a person about each destructive call with approval.modal: all', async () => {
    const questions: string[] = []
    const { session, run, write } = await setUpTools('approval: {modal: all}\n', async ({ kind, tool, targets }) => {
      questions.push(`${kind} ${tool} ${targets.join()}`)
      return { approved: targets.includes('src/a.ts'), words: 'Not that one.' }
    })
    await run('select_active_intent', { intent_id: 'INT-001' })
    expect(await write('src/a.ts')).toMatchObject({ isError: false })
    expect(await write('src/b.ts')).toMatchObject({
      isError: true,
      denial: { reason: 'user_rejected', message: 'Not that one.', file: 'src/b.ts' },
    })
    expect(await run('read_file', { path: 'src/a.ts' })).toMatchObject({ isError: false })
    expect((await write('mail/m.ts')).denial?.reason).toBe('scope_violation')
    expect(questions).toEqual(['call write_to_file src/a.ts', 'call write_to_file src/b.ts'])
    expect((await session.changes()).changes).toMatchObject([{ path: 'src/a.ts', state: 'pending' }])
  })

  it('refuse such calls if nobody can be asked', async () => {
    const { run, write } = await setUpTools('approval: {modal: all}\n')
    await run('select_active_intent', { intent_id: 'INT-001' })
    expect((await write('src/a.ts')).denial?.reason).toBe('needs_approval')
  })

  it('stop after consecutive refusals if a person can be asked', async () => {
    const answers = [undefined, { approved: true }]
    const { write, run } = await setUpTools('gate: {breaker: 2}\n', async () => answers.shift())
    for (const _ of [1, 2]) expect((await write('src/a.ts')).denial?.reason).toBe('missing_intent_id')
    expect((await run('list_files', { path: '.' })).denial).toMatchObject({ reason: 'user_rejected' })
    expect(await run('list_files', { path: '.' })).toMatchObject({ isError: false })
    const alone = await setUpTools('gate: {breaker: 2}\n')
    for (const _ of [1, 2, 3, 4]) expect((await alone.write('src/a.ts')).denial?.reason).toBe('missing_intent_id')
  })

  it('follow gate.tools: all', async () => {
    const { run } = await setUpTools('gate: {tools: all}\n')
    expect((await run('read_file', { path: 'src/a.ts' })).denial?.reason).toBe('missing_intent_id')
    expect(await run('list_intents', {})).toMatchObject({ isError: false })
  })
})
