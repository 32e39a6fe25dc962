import { realpathSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { layoutAt } from '../../src/os/workspace-state.js'
import { failure, reasonOf, startSession, testWorkspace } from '../support/workspace.js'

/** What a caller without a type checker may give. */
const NUMBER = JSON.parse('5')
const NOTHING = JSON.parse('{}').nothing

describe('an argument of another type', () => {
  it('is refused by name, and leaves the session and the workspace usable', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const session = await startSession(workspace)
    const write = () => session.fs.writeFileSync('src/a.ts', 'new\n')
    const calls: Record<string, () => Promise<unknown>> = {
      'the id of a call': () => session.toolCall({ tool: 'write', kind: 'edit', id: NUMBER }, write),
      'the tool of a call': () => session.toolCall({ tool: NOTHING, kind: 'edit' }, write),
      'the reason of a call': () => session.toolCall({ tool: 'write', kind: 'edit', why: NUMBER }, write),
      'the reason of a request': () => session.requestScope(['lib/**'], NOTHING),
      'a lesson': () => session.recordLesson(NUMBER),
      'the name of a snapshot': () => session.snapshot(NUMBER),
      'an intent': () => session.selectIntent(NUMBER),
      'an agent': async () => session.attribute({ model: NUMBER }),
      "a new session's agent": () => workspace.session({ id: 'other', agent: { tool: 'mine', model: NUMBER } }),
    }
    for (const [name, call] of Object.entries(calls)) expect(await reasonOf(call), name).toBe('unsupported')
    expect((await session.changes()).changes).toEqual([])
    write()
    await session.close()
    const review = await (await project.open()).review(session.id)
    await review.approve()
    expect((await review.commit()).committed).toEqual(['src/a.ts'])
  })

  it.each([NUMBER, NOTHING])('is no session id: %s', async (id) => {
    const { message } = await failure(async () => (await testWorkspace().open()).session({ id }))
    expect(message).toBe(`"${id}" is not a valid session id. Use at most 100 letters, digits, "-", "_" and ".".`)
  })

  it('is no name or scope of an intent', async () => {
    const { intents } = await testWorkspace().open()
    const before = await intents.list()
    const calls: Record<string, () => Promise<unknown>> = {
      'An intent needs a name.': () => intents.add(JSON.parse('{}')),
      'A scope is a list of globs, not "lib/**".': () => intents.expandScope('INT-001', JSON.parse('"lib/**"')),
      'A scope is a list of globs, not 5.': () => intents.add({ name: 'More', ownedScope: NUMBER }),
    }
    for (const [message, call] of Object.entries(calls))
      expect(await failure(call)).toMatchObject({ reason: 'policy_invalid', message })
    expect(await intents.list()).toEqual(before)
  })

  it('is ignored in the stored agent of a session', async () => {
    const project = testWorkspace()
    await (await startSession(await project.open())).close()
    writeFileSync(layoutAt(realpathSync(project.root)).session('agent').meta, '{"model":5}')
    const session = await (await project.open()).session({ id: 'agent' })
    expect(session.agent).toBeUndefined()
  })
})
