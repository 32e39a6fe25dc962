import { describe, expect, it } from 'vitest'
import { outcomeText, runTool, type ToolOutcome } from '../../src/hooks/index.js'
import { startSession, testWorkspace } from '../support/workspace.js'

describe('the text of an outcome', () => {
  it.each<[unknown, string]>([
    ['text', 'text'],
    [{ exitCode: 0 }, '{"exitCode":0}'],
    [undefined, ''],
    [null, 'null'],
  ])('is the text or the JSON of a returned %j', (value, text) => {
    expect(outcomeText({ status: 'done', value, feedback: [] })).toBe(text)
  })

  it('is what Node prints for a value that JSON cannot hold', () => {
    const cycle: { self?: object } = {}
    cycle.self = cycle
    expect(outcomeText({ status: 'done', value: { size: 5n }, feedback: [] })).toBe('{ size: 5n }')
    expect(outcomeText({ status: 'done', value: cycle, feedback: [] })).toContain('[Circular *1]')
  })

  it.each<[unknown, string]>([
    [new Error('no such tool'), 'no such tool'],
    ['thrown', 'thrown'],
  ])('is the message of the failure %s, without a stack', (error, text) => {
    expect(outcomeText({ status: 'failed', error, feedback: [] })).toBe(text)
  })

  it("contains the denial record, then the reviewer's feedback", async () => {
    const workspace = await testWorkspace().open()
    const session = await startSession(workspace)
    session.fs.writeFileSync('src/a.ts', 'x\n')
    await (await workspace.review('agent')).reject('src/a.ts', 'Not so.')
    const write = { name: 'write_file', args: { path: 'mail/m.ts' } }
    const outcome: ToolOutcome<void> = await runTool(session, write, () => expect.unreachable())
    const [record, ...words] = outcomeText(outcome).split('\n')
    expect(JSON.parse(record ?? '')).toMatchObject({ type: 'tool_error', reason: 'scope_violation', file: 'mail/m.ts' })
    expect(words).toEqual(['', 'From the reviewer:', '- src/a.ts: rejected: Not so.'])
  })
})
