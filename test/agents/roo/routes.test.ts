import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { metadataOf, recordsOf } from '../../support/workspace.js'
import { FakeRoo, liveFixture } from './live-fixture.js'

/** Problems that were found in the host's own code, one by one. */

const parse = (text: string): Record<string, unknown> => JSON.parse(text)
const patch = (...parts: string[]) => ({ patch: ['*** Begin Patch', ...parts, '*** End Patch'].join('\n') })
const remove = (path: string) => `*** Delete File: ${path}`
const update = (path: string, from: string, to: string) => `*** Update File: ${path}\n@@\n-${from}\n+${to}`
const add = (path: string, line: string) => `*** Add File: ${path}\n+${line}`

describe('a patch', () => {
  it('that is refused continues with no other file, whoever approves the next one', async () => {
    const { roo, project, stagedChanges } = await liveFixture({
      files: { 'docs/one.md': '1\n', 'docs/two.md': '2\n', 'src/a.ts': '' },
    })
    const answer = parse(await roo.dispatch('apply_patch', patch(remove('docs/one.md'), remove('docs/two.md'))))
    expect(answer).toMatchObject({ reason: 'scope_violation' })
    expect([roo.asked, await stagedChanges()]).toEqual([[], []])
    expect(['one', 'two'].map((name) => existsSync(`${project.root}/docs/${name}.md`))).toEqual([true, true])
  })

  it('whose first file is rejected by the host’s own person asks again for the second', async () => {
    const { roo, stagedChanges } = await liveFixture()
    roo.answers.push('noButtonClicked')
    await roo.dispatch('apply_patch', patch(remove('src/a.ts'), remove('src/b.ts')))
    expect([roo.asked, await stagedChanges()]).toEqual([['tool', 'tool'], ['delete src/b.ts']])
  })

  it('of three files is one call in the trace, with three files', async () => {
    const { roo, session, project, workspace, stagedChanges } = await liveFixture()
    await roo.dispatch(
      'apply_patch',
      patch(add('src/new/n.ts', 'n'), update('src/a.ts', 'a one', 'A one'), remove('src/b.ts')),
    )
    expect((await stagedChanges()).sort()).toEqual(['create src/new/n.ts', 'delete src/b.ts', 'modify src/a.ts'])
    expect([project.text('src/a.ts'), existsSync(`${project.root}/src/new`)]).toEqual(['a one\na two\n', false])
    await roo.getSystemPrompt()
    await session.flush()
    const calls = (await recordsOf(workspace())).map(metadataOf).filter(({ type }) => type === 'tool_call')
    expect(calls).toMatchObject([
      { tool_name: 'apply_patch', paths: ['src/a.ts', 'src/b.ts', 'src/new', 'src/new/n.ts'] },
    ])
  })

  it('that moves a file leaves the disk as it was', async () => {
    const { roo, project, stagedChanges } = await liveFixture()
    const move = '*** Update File: src/a.ts\n*** Move to: src/far/off/a.ts\n@@\n-a one\n+A one'
    expect(await roo.dispatch('apply_patch', patch(move))).toBe('moved to src/far/off/a.ts')
    expect((await stagedChanges()).join()).toContain('src/far/off/a.ts')
    expect([existsSync(`${project.root}/src/a.ts`), existsSync(`${project.root}/src/far`)]).toEqual([true, false])
  })
})

describe('host actions without a current call', () => {
  it('are not admitted: no ask, no save, no removal', async () => {
    const { roo, project, stagedChanges } = await liveFixture()
    await roo.dispatch('write_to_file', { path: 'mail/m.ts', content: 'x' })
    await roo.getSystemPrompt()
    expect(await roo.ask('tool')).toMatchObject({ response: 'noButtonClicked' })
    await expect(roo.diffViewProvider.saveDirectly('src/a.ts', 'x')).rejects.toThrow('No tool call is running')
    roo.toolRepetitionDetector.check({ id: 'x', name: 'select_active_intent', params: {} })
    await expect(roo.fs.promises.unlink(`${project.root}/src/a.ts`)).rejects.toMatchObject({ code: 'EACCES' })
    const called = new Promise((resolve) =>
      roo.fs.rename(`${project.root}/src/a.ts`, `${project.root}/src/z.ts`, resolve),
    )
    expect(await called).toMatchObject({ reason: 'access_denied' })
    expect(() => roo.fs.writeFileSync(`${project.root}/src/a.ts`, '')).toThrow('only while a tool call is running')
    expect(await roo.fs.promises.mkdir(`${project.root}/src/deep/er`, { recursive: true })).toBeUndefined()
    expect([await stagedChanges(), project.text('src/a.ts'), existsSync(`${project.root}/src/deep`)]).toEqual([
      [],
      'a one\na two\n',
      false,
    ])
  })
})

it.each([{ direct: false }, { direct: true }])(
  'successive edits of one file are all kept (direct: $direct)',
  async ({ direct }) => {
    const { roo, session } = await liveFixture({ files: { 'src/a.ts': 'one\ntwo\nthree\n' } })
    roo.direct = direct
    for (const word of ['one', 'three'])
      await roo.dispatch('edit', { file_path: 'src/a.ts', old_string: word, new_string: word.toUpperCase() })
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('ONE\ntwo\nTHREE\n')
  },
)

describe('a directory of a new file', () => {
  it('is neither on the disk nor staged before the file, and never after a rejection', async () => {
    const { roo, project, stagedChanges } = await liveFixture()
    await roo.stream('src/far/off/new.ts', 'half')
    expect([readdirSync(`${project.root}/src`), await stagedChanges()]).toEqual([['a.ts', 'b.ts', 'sub'], []])
    roo.answers.push('noButtonClicked')
    await roo.dispatch('write_to_file', { path: 'src/far/off/new.ts', content: 'whole\n' })
    await roo.getSystemPrompt()
    expect([readdirSync(`${project.root}/src`), await stagedChanges()]).toEqual([['a.ts', 'b.ts', 'sub'], []])
    await roo.dispatch('write_to_file', { path: 'src/far/off/new.ts', content: 'whole\n' })
    expect(await stagedChanges()).toEqual(['create src/far/off/new.ts'])
  })
})

describe('subtasks', () => {
  it("continue on their parent's stage at any depth, although the host names only the parent", async () => {
    const { roo, governed, project, stagedChanges } = await liveFixture()
    await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'parent\n' })
    const child = new FakeRoo(project.root, 'task-2')
    child.parentTaskId = 'task-1'
    const grandchild = new FakeRoo(project.root, 'task-3')
    grandchild.parentTaskId = 'task-2'
    for (const [task, path] of [
      [child, 'src/b.ts'],
      [grandchild, 'src/sub/c.ts'],
    ] as const) {
      task.fs = roo.fs
      const undo = governed.task(task)
      await task.getSystemPrompt()
      expect(await task.dispatch('read_file', { path: 'src/a.ts' })).toBe('parent\n')
      await task.dispatch('write_to_file', { path, content: 'child\n' })
      await undo.dispose()
    }
    expect(await stagedChanges()).toEqual(['modify src/a.ts', 'modify src/b.ts', 'modify src/sub/c.ts'])
  })

  it("find the stage after a restart through the host's history", async () => {
    const parents = new Map([
      ['task-9', 'task-8'],
      ['task-8', 'task-1'],
    ])
    const { governed, project, session } = await liveFixture({ parentOf: (id) => parents.get(id) })
    expect(await governed.sessionOf(new FakeRoo(project.root, 'task-9'))).toBe(session)
  })
})

describe('a turn', () => {
  it("continues when the host's queue changes, and ends with a person's reply", async () => {
    const { roo, session } = await liveFixture()
    roo.emit('taskUserMessage')
    expect(session.intent?.id).toBe('INT-001')
    roo.answers.push('messageResponse')
    await roo.ask('completion_result', 'Done.', false)
    expect(session.intent).toBeUndefined()
  })

  it('may ask a person after the breaker has tripped, and continues with their answer', async () => {
    const { roo } = await liveFixture({ policy: 'gate: {breaker: 2}' })
    const refuse = () => roo.dispatch('write_to_file', { path: 'mail/m.ts', content: String(roo.results.length) })
    for (let count = 0; count < 3; count++) await refuse()
    expect(parse(await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'x' })).message).toMatch(/^Stopped: /)
    roo.answers.push('messageResponse')
    expect(await roo.dispatch('ask_followup_question', { question: 'What now?' })).toBe('messageResponse')
    expect(parse(await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'x' }))).toMatchObject({
      path: 'src/a.ts',
    })
  })

  it('does not continue when the host answers its model itself', async () => {
    const { roo } = await liveFixture({ policy: 'gate: {breaker: 1}', answersItself: async () => true })
    await roo.dispatch('write_to_file', { path: 'mail/m.ts', content: 'x' })
    roo.answers.push('messageResponse')
    await roo.dispatch('ask_followup_question', { question: 'What now?' })
    expect(parse(await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'x' })).message).toMatch(/^Stopped: /)
  })
})

it('a call is attributed to the model the task works with', async () => {
  const { governed, project, workspace, engine } = await liveFixture()
  const roo = new FakeRoo(project.root, 'task-5')
  roo.api = { getModel: () => ({ id: 'some-model-4' }) }
  governed.task(roo)
  await roo.getSystemPrompt()
  await engine.setActiveIntent('task-5', 'INT-001')
  await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'x\n' })
  await roo.getSystemPrompt()
  await (await engine.sessionOf('task-5', project.root)).flush()
  const records = (await recordsOf(workspace())).map(metadataOf).filter(({ type }) => type === 'tool_call')
  expect(records).toMatchObject([{ agent: { model: 'some-model-4' } }])
})
