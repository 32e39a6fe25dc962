import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { metadataOf, recordsOf } from '../../support/workspace.js'
import { FakeRoo, liveFixture } from './live-fixture.js'

const parse = (text: string): Record<string, unknown> => JSON.parse(text)

describe.each([{ direct: false }, { direct: true }])('a write of a live task (direct: $direct)', ({ direct }) => {
  it('is staged, reads back, and leaves the disk unchanged, including while streaming', async () => {
    const { roo, project, session, stagedChanges } = await liveFixture()
    roo.direct = direct
    if (!direct) await roo.stream('src/a.ts', 'half of')
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
    const answer = parse(await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'whole\n' }))
    expect(answer).toMatchObject({ path: 'src/a.ts', operation: 'modified', notice: expect.stringContaining('Staged') })
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('whole\n')
    const second = parse(await roo.dispatch('write_to_file', { path: 'src/deep/new.ts', content: 'new\n' }))
    expect(second).toMatchObject({ operation: 'created' })
    expect(await stagedChanges()).toEqual(['modify src/a.ts', 'create src/deep/new.ts'])
    expect([project.text('src/a.ts'), readdirSync(`${project.root}/src`)]).toEqual([
      'a one\na two\n',
      ['a.ts', 'b.ts', 'sub'],
    ])
  })

  it('that is refused is denied before the host asks, and the model gets the record', async () => {
    const { roo, session, workspace, stagedChanges } = await liveFixture()
    roo.direct = direct
    const answer = parse(await roo.dispatch('write_to_file', { path: 'mail/m.ts', content: 'x' }))
    expect(answer).toMatchObject({
      type: 'tool_error',
      tool: 'write_to_file',
      reason: 'scope_violation',
      file: 'mail/m.ts',
    })
    expect(roo.results.at(-1)?.is_error).toBe(true)
    expect(roo.asked).toEqual([])
    expect(await stagedChanges()).toEqual([])
    await session.flush()
    const denied = (await recordsOf(workspace())).map(metadataOf).filter(({ type }) => type === 'denied')
    expect(denied).toMatchObject([{ reason: 'scope_violation', path: 'mail/m.ts' }])
  })

  it('may have empty content', async () => {
    const { roo, session } = await liveFixture()
    roo.direct = direct
    await roo.dispatch('write_to_file', { path: 'src/a.ts', content: '' })
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('')
  })
})

describe('a live task', () => {
  it('without an intent is refused what needs one, immediately if the tool would not wait', async () => {
    const { roo } = await liveFixture({ intent: null, commands: 'host', policy: 'gate: {breaker: 100}' })
    let ran = false
    roo.customTools.set('someones_tool', async () => {
      ran = true
      return 'ran'
    })
    for (const [tool, args] of [
      ['write_to_file', { path: 'src/a.ts', content: 'x' }],
      ['execute_command', { command: 'make' }],
      ['someones_tool', {}],
    ] as const)
      expect(parse(await roo.dispatch(tool, args))).toMatchObject({ reason: 'missing_intent_id' })
    expect([ran, roo.ran, roo.asked]).toEqual([false, [], []])
    expect(await roo.dispatch('select_active_intent', { intent_id: 'INT-001' })).toContain(
      'Active intent set to INT-001.',
    )
    expect(await roo.dispatch('someones_tool', {})).toBe('ran')
    expect(await roo.dispatch('execute_command', { command: 'make' })).toBe('ran')
  })

  it('continues after a refusal: the next call is separate', async () => {
    const { roo, stagedChanges } = await liveFixture()
    await roo.dispatch('write_to_file', { path: 'mail/m.ts', content: 'x' })
    expect(parse(await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'x\n' }))).toMatchObject({
      path: 'src/a.ts',
    })
    expect(await stagedChanges()).toEqual(['modify src/a.ts'])
  })

  it('gets feedback with a result or the next prompt, once', async () => {
    const { roo, workspace } = await liveFixture()
    await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'x\n' })
    const review = await workspace().review('task-1')
    await review.reject('src/a.ts', 'Keep the names.')
    const [prompt, again] = [await roo.getSystemPrompt(), await roo.getSystemPrompt()]
    expect(prompt).toContain('- src/a.ts: rejected: Keep the names.')
    expect(again).not.toContain('Keep the names.')
    await roo.dispatch('write_to_file', { path: 'src/b.ts', content: 'y\n' })
    await (await workspace().review('task-1')).reject('src/b.ts', 'Keep them still.')
    expect(await roo.dispatch('read_file', { path: 'src/sub/c.ts' })).toContain(
      '- src/b.ts: rejected: Keep them still.',
    )
  })

  it('has the protocol and its intent in each prompt', async () => {
    const { roo } = await liveFixture({ intent: null })
    expect(await roo.getSystemPrompt()).toMatch(/^You are Roo\.\n\n# Working under an intent(.|\n)*No intent is active/)
    await roo.dispatch('select_active_intent', { intent_id: 'INT-001' })
    expect(await roo.getSystemPrompt()).toContain('<intent id="INT-001"')
  })

  it('is one conversation with its subtasks', async () => {
    const { roo, governed, project, stagedChanges } = await liveFixture()
    const child = new FakeRoo(project.root, 'task-2', 'task-1')
    const undo = governed.task(child)
    await child.getSystemPrompt()
    await child.dispatch('write_to_file', { path: 'src/b.ts', content: 'child\n' })
    await undo.dispose()
    await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'root\n' })
    expect(await stagedChanges()).toEqual(['modify src/a.ts', 'modify src/b.ts'])
  })

  it('is restored when it is released', async () => {
    const { project, governed } = await liveFixture()
    const roo = new FakeRoo(project.root, 'task-9')
    const before = [
      roo.ask,
      roo.pushToolResultToUserContent,
      roo.getSystemPrompt,
      roo.toolRepetitionDetector.check,
      roo.diffViewProvider,
    ]
    const undo = governed.task(roo)
    expect(roo.ask).not.toBe(before[0])
    await undo.dispose()
    expect([
      roo.ask,
      roo.pushToolResultToUserContent,
      roo.getSystemPrompt,
      roo.toolRepetitionDetector.check,
      roo.diffViewProvider,
    ]).toEqual(before)
    expect(Object.keys(roo)).not.toContain('ask')
  })

  it('that is interrupted within a call blocks nothing after its release', async () => {
    const { project, governed, engine } = await liveFixture()
    const roo = new FakeRoo(project.root, 'task-7')
    const session = await engine.sessionOf('task-7', project.root)
    await session.selectIntent('INT-001')
    const undo = governed.task(roo)
    await roo.getSystemPrompt()
    roo.toolRepetitionDetector.check({ id: 'x', name: 'edit', params: {}, nativeArgs: { file_path: 'src/a.ts' } })
    await roo.ask('tool')
    session.fs.writeFileSync('src/a.ts', 'in the call')
    expect((await session.changes()).changes[0]?.calls).toHaveLength(1)
    await undo.dispose()
    session.fs.writeFileSync('src/b.ts', 'after it')
    expect((await session.changes()).changes[1]?.calls ?? []).toEqual([])
  })

  it('is refused every change if its session cannot be opened', async () => {
    const { project, governed } = await liveFixture()
    const roo = new FakeRoo(`${project.root}/absent`, 'task-8')
    governed.task(roo)
    expect(parse(await roo.dispatch('execute_command', { command: 'make' }))).toMatchObject({ type: 'tool_error' })
    expect(parse(await roo.dispatch('write_to_file', { path: 'x', content: 'y' }))).toMatchObject({
      type: 'tool_error',
    })
    expect([roo.ran, existsSync(`${project.root}/absent`)]).toEqual([[], false])
    expect(await roo.getSystemPrompt()).toMatch(/^You are Roo\.\n\nescrow cannot stage changes here: /)
  })
})

describe('a host action on the disk', () => {
  const remove = { patch: '*** Begin Patch\n*** Delete File: src/b.ts\n*** End Patch' }

  it('is refused for an uncontained command', async () => {
    const { roo, project, stagedChanges } = await liveFixture()
    const answer = parse(await roo.dispatch('execute_command', { command: 'rm -r src' }))
    expect(answer).toMatchObject({ reason: 'unsupported', hint: expect.any(String) })
    expect([roo.ran, await stagedChanges(), existsSync(`${project.root}/src/b.ts`)]).toEqual([[], [], true])
  })

  it('is staged for a call of fs', async () => {
    const { roo, project, stagedChanges } = await liveFixture()
    expect(await roo.dispatch('apply_patch', remove)).toBe('Successfully deleted src/b.ts')
    expect(await roo.dispatch('generate_image', { path: 'src/img', prompt: 'x' })).toBe('made')
    expect(await stagedChanges()).toEqual(['delete src/b.ts', 'create src/img.png'])
    expect([existsSync(`${project.root}/src/b.ts`), existsSync(`${project.root}/src/img.png`)]).toEqual([true, false])
  })

  it('is done by run_command instead, contained', async () => {
    const { roo, project, stagedChanges } = await liveFixture()
    const command = 'rm src/b.ts; seq 3000'
    const answer = await roo.dispatch('run_command', { command, cwd: null, timeout: null })
    expect(answer).toContain('deleted: src/b.ts')
    const artifact_id = /Artifact ID: (\S+)/.exec(answer)?.[1]
    const output = { artifact_id, search: '^2999$', offset: null, limit: null }
    expect(await roo.dispatch('read_run_output', output)).toContain('2999 | 2999')
    expect([await stagedChanges(), existsSync(`${project.root}/src/b.ts`)]).toEqual([['delete src/b.ts'], true])
  })
})

describe('MCP tools', () => {
  it('are judged where they are called, and refused without an intent or without a task', async () => {
    const { roo, governed, session } = await liveFixture()
    let current: FakeRoo | undefined = roo
    governed.mcpHub(roo.mcpHub, () => current)
    expect(await roo.dispatch('mcp--files--write', { path: 'x' })).toBe('from the server')
    await session.selectIntent(null)
    expect(parse(await roo.dispatch('mcp--files--write', { path: 'x' }))).toMatchObject({
      tool: 'mcp--files--write',
      reason: 'missing_intent_id',
    })
    current = undefined
    expect(parse(await roo.dispatch('mcp--files--write', { path: 'x' }))).toMatchObject({ type: 'tool_error' })
    expect(roo.ran).toEqual(['files/write'])
  })
})
