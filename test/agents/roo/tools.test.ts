import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createRooTools } from '../../../src/agents/roo/index.js'
import { denialError } from '../../../src/core/denials.js'
import { fakeSession, get, inTemporaryDirectory, put, run } from './fake-session.js'

inTemporaryDirectory()

describe('execute', () => {
  it('gives the session the tool, the call, its kind and every path that it will read or change', async () => {
    put('a.ts', 'one\n')
    const fake = fakeSession()
    const tools = createRooTools(fake.session)
    await tools.execute({ id: 'c1', name: 'read_file', arguments: { path: 'a.ts' } })
    await tools.execute({ id: 'c2', name: 'write_to_file', arguments: { path: 'b.ts', content: 'x' } })
    await tools.execute({ id: 'c3', name: 'search_files', arguments: { path: '.', regex: 'one' } })
    expect(fake.calls.map(({ gate: _, ...call }) => call)).toEqual([
      { tool: 'read_file', id: 'c1', kind: 'read', host: 'roo', reads: ['a.ts'] },
      { tool: 'write_to_file', id: 'c2', kind: 'edit', host: 'roo', writes: [{ path: 'b.ts', effect: 'put' }] },
      { tool: 'search_files', id: 'c3', kind: 'other', host: 'roo' },
    ])
  })

  it("returns the denial record with the tool's name, and writes nothing", async () => {
    const fake = fakeSession()
    fake.refusal = denialError(
      { reason: 'scope_violation', message: 'Scope Violation: no.', intentId: 'INT-1', file: 'b.ts' },
      'open',
      'b.ts',
    )
    const call = { id: 'c', name: 'write_to_file', arguments: { path: 'b.ts', content: 'x' } }
    const result = await createRooTools(fake.session).execute(call)
    const record = {
      type: 'tool_error',
      tool: 'write_to_file',
      reason: 'scope_violation',
      intent_id: 'INT-1',
      file: 'b.ts',
      message: 'Scope Violation: no.',
    }
    expect(result).toEqual({ content: JSON.stringify(record), isError: true, denial: record })
    expect(existsSync('b.ts')).toBe(false)
  })

  it('answers a refused intent with a record too', async () => {
    const result = await run('select_active_intent', { intent_id: 'INT-404' })
    expect(result.denial).toMatchObject({
      tool: 'select_active_intent',
      reason: 'unknown_intent',
      hint: 'Use INT-001.',
    })
  })

  it.each([
    ['an unknown tool', 'rm_rf', {}],
    ['a name from the object prototype', 'constructor', {}],
    ['a missing argument', 'write_to_file', { path: 'a.ts' }],
    ['an argument of another type', 'write_to_file', { path: ['a.ts'], content: 'x' }],
    ['an empty path', 'write_to_file', { path: '', content: 'x' }],
    ['no named intent', 'select_active_intent', {}],
  ])('%s is an error the model can read', async (_what, name, args) => {
    const result = await run(name, args)
    expect(result.isError).toBe(true)
    expect(result.denial).toBeUndefined()
    expect(JSON.parse(result.content)).toMatchObject({ status: 'error', message: `${name} failed.` })
  })

  it('shows no stack of an unexpected failure', async () => {
    const fake = fakeSession()
    fake.refusal = new TypeError('boom')
    const result = await createRooTools(fake.session).execute({ id: 'c', name: 'list_files', arguments: { path: '.' } })
    expect(JSON.parse(result.content)).toEqual({ status: 'error', message: 'list_files failed.', error: 'boom' })
  })

  it('delivers feedback with the next result, once', async () => {
    const fake = fakeSession()
    const tools = createRooTools(fake.session)
    const item = { path: 'a.ts', kind: 'rejected', reason: 'Keep the old name.' }
    put('a.ts', 'x\n')
    fake.feedback.push(item)
    const read = { id: 'c', name: 'read_file', arguments: { path: 'a.ts' } }
    expect((await tools.execute(read)).content).toContain('- a.ts: rejected: Keep the old name.')
    expect((await tools.execute(read)).content).not.toContain('Keep the old name.')
    fake.feedback.push(item)
    const write = { id: 'c', name: 'write_to_file', arguments: { path: 'a.ts', content: 'y\n' } }
    expect(JSON.parse((await tools.execute(write)).content)).toMatchObject({ operation: 'modified', feedback: [item] })
  })
})

describe('write_to_file', () => {
  it('creates a file with its directories, then says modified', async () => {
    const first = await run('write_to_file', { path: 'src/deep/a.ts', content: 'one\r\ntwo' })
    expect(JSON.parse(first.content)).toMatchObject({ path: 'src/deep/a.ts', operation: 'created' })
    expect(get('src/deep/a.ts')).toBe('one\r\ntwo')
    const second = await run('write_file', { path: 'src/deep/a.ts', content: '' })
    expect(JSON.parse(second.content)).toMatchObject({ operation: 'modified' })
    expect(get('src/deep/a.ts')).toBe('')
  })
})

describe('select_active_intent', () => {
  it("answers with the intent's context, and null clears it", async () => {
    expect((await run('select_active_intent', { intent_id: 'INT-001' })).content).toBe('Active intent set to INT-001.')
    expect((await run('select_active_intent', { intent_id: null })).content).toBe('No active intent.')
  })
})
