import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRooTools } from '../../../src/agents/roo/index.js'
import type { HumanQuestion } from '../../../src/hooks/index.js'
import { hostFs } from '../../../src/index.js'
import { site } from '../../terminal/site.js'
import { liveFixture } from './live-fixture.js'

/** Known problems of the host with errors and refusals. The numbers are those of our research notes. */

const parseResult = (text: string): Record<string, unknown> => JSON.parse(text)

it('trap 1: the dispatcher returns a result when a directory may not be created', async () => {
  const { roo, project, stagedChanges } = await liveFixture()
  const result = parseResult(await roo.dispatch('write_to_file', { path: 'mail/deep/er/new.ts', content: 'x' }))
  expect(result).toMatchObject({ reason: 'scope_violation' })
  expect(existsSync(`${project.root}/mail/deep`)).toBe(false)
  expect(await stagedChanges()).toEqual([])
})

it('trap 4: reads by an edit tool do not update the base, so a person’s edit since the model’s read is detected', async () => {
  const { roo, project } = await liveFixture()
  await roo.dispatch('read_file', { path: 'src/a.ts' })
  await roo.getSystemPrompt()
  project.write('src/a.ts', 'a one\na two\na three, by a person\n')
  const edit = { file_path: 'src/a.ts', old_string: 'a one', new_string: 'A' }
  expect(parseResult(await roo.dispatch('edit', edit))).toMatchObject({ reason: 'stale_file' })
  await roo.dispatch('read_file', { path: 'src/a.ts' })
  expect(parseResult(await roo.dispatch('edit', { ...edit, new_string: 'B' }))).toMatchObject({ operation: 'modified' })
})

it('trap 10: a CRLF file keeps its line endings, and $& in a replacement is literal', async () => {
  const { roo, session } = await liveFixture({ files: { 'src/a.ts': 'one\r\ntwo\r\n', 'src/b.ts': 'b\n' } })
  await roo.dispatch('edit', { file_path: 'src/a.ts', old_string: 'one', new_string: '$&' })
  expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('$&\r\ntwo\r\n')
  const tools = createRooTools(session)
  const call = { file_path: 'src/b.ts', old_string: 'b', new_string: "$& $1 $'" }
  await tools.execute({ id: '1', name: 'search_replace', arguments: call })
  expect(session.fs.readFileSync('src/b.ts', 'utf8')).toBe("$& $1 $'\n")
})

it('trap 1, while a call streams: no directory out of scope is refused or created', async () => {
  const { roo, project } = await liveFixture()
  await roo.stream('mail/deep/new.ts', 'half')
  expect(existsSync(`${project.root}/mail/deep`)).toBe(false)
})

it('trap 2: the search for an existing parent directory ends, although parents may not be read', async () => {
  const policy = 'access: {src/shut: deny, src/hid: hidden}\n'
  const { roo, session } = await liveFixture({ policy })
  for (const path of ['src/shut/x/y.ts', 'src/hid/x/y.ts']) {
    const result = parseResult(await roo.dispatch('write_to_file', { path, content: 'x' }))
    expect(result.type ?? result.status).toMatch(/error/)
  }
  const api = hostFs(session, { host: 'roo' })
  let steps = 0
  for (let dir = 'src/shut/x'; steps++ < 50; dir = dirname(dir)) {
    const isThere = await api.promises.access(`${session.fs.realpathSync('.')}/${dir}`).then(
      () => true,
      () => false,
    )
    if (isThere) break
  }
  expect(steps).toBeLessThan(10)
})

describe('trap 3: one result for each call', () => {
  const patch = '*** Begin Patch\n*** Delete File: src/b.ts\n*** Delete File: mail/m.ts\n*** End Patch'

  it('a patch whose second file is refused changes no file', async () => {
    const { roo, stagedChanges } = await liveFixture()
    const result = parseResult(await roo.dispatch('apply_patch', { patch }))
    expect(result).toMatchObject({ reason: 'scope_violation', file: 'mail/m.ts' })
    expect(await stagedChanges()).toEqual([])
  })

  it('two hunks on one file are both applied', async () => {
    const { session } = await site()
    const update = (line: string) => `*** Update File: src/a.ts\n@@\n-a ${line}\n+A ${line}\n`
    const twice = `*** Begin Patch\n${update('one')}${update('two')}*** End Patch`
    const { isError } = await createRooTools(session).execute({
      id: '1',
      name: 'apply_patch',
      arguments: { patch: twice },
    })
    expect([isError, session.fs.readFileSync('src/a.ts', 'utf8')]).toEqual([false, 'A one\nA two\n'])
  })
})

it('trap 5: a host approval does not allow a write outside the workspace', async () => {
  const { roo, project } = await liveFixture()
  for (const path of ['../outside.txt', `${dirname(project.root)}/outside.txt`]) {
    expect(parseResult(await roo.dispatch('write_to_file', { path, content: 'x' }))).toMatchObject({
      reason: 'path_escape',
    })
  }
  expect(existsSync(`${dirname(project.root)}/outside.txt`)).toBe(false)
})

it.each([
  ['a Move to', 'apply_patch', '*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: mail/a.ts\n*** End Patch'],
  ['an indented header', 'apply_patch', '*** Begin Patch\n   *** Delete File: mail/m.ts\n*** End Patch'],
  ['an image whose extension the host chooses', 'generate_image', 'mail/logo'],
])('trap 6: %s is checked like any path', async (_name, tool, text) => {
  const { roo, stagedChanges } = await liveFixture()
  const args = tool === 'apply_patch' ? { patch: text } : { path: text, prompt: 'x' }
  expect(parseResult(await roo.dispatch(tool, args))).toMatchObject({ reason: 'scope_violation' })
  expect(await stagedChanges()).toEqual([])
})

it.each([
  'cat secret/.env',
  'cd secret && cat .env',
  'cp secret/.env x; cat x',
  'FOO=1 cat secret/.env',
  'cat ROOT/secret/.env',
])('trap 7: %s cannot read a secret', async (command) => {
  const { session, root } = await site({ 'secret/.env': 'needle', 'src/a.ts': '' })
  const args = { command: command.replace('ROOT', root) }
  const { content } = await createRooTools(session).execute({ id: '1', name: 'execute_command', arguments: args })
  expect(content).toContain('No such file')
  expect(content).not.toContain('needle')
})

it('trap 7: a redirection writes only to paths that a tool may write', async () => {
  const { session, root } = await site({ 'mail/m.ts': 'm\n' }, INTENT)
  await createRooTools(session).execute({
    id: '1',
    name: 'execute_command',
    arguments: { command: 'echo x > mail/m.ts; echo x > /tmp/escrow-redirected' },
  })
  expect([(await session.changes()).changes, existsSync('/tmp/escrow-redirected')]).toEqual([[], false])
  expect(readdirSync(`${root}/mail`)).toEqual(['m.ts'])
})

const INTENT = 'active_intents:\n  - {id: INT-001, name: W, status: IN_PROGRESS, owned_scope: ["src/**"]}\n'

describe('trap 8: a host approval, from a queued message or the CLI, is not a verdict', () => {
  it('it lets a tool run, and the change waits for a review', async () => {
    const { roo, project, workspace } = await liveFixture()
    await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'x\n' })
    expect(roo.asked).toEqual(['tool'])
    const review = await workspace().review('task-1')
    expect((await review.changes()).changes.map(({ state }) => state)).toEqual(['pending'])
    expect(await review.commit()).toMatchObject({ committed: [] })
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
  })

  it('policy can ask a person as well, and their rejection applies', async () => {
    const questions: HumanQuestion[] = []
    const human = async (question: HumanQuestion) => {
      questions.push(question)
      return { approved: false, words: 'Not this file.' }
    }
    const { roo, stagedChanges } = await liveFixture({ engine: { human }, policy: 'approval: {modal: all}\n' })
    const result = parseResult(await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'x\n' }))
    expect(result).toMatchObject({ reason: 'user_rejected', message: 'Not this file.' })
    expect(questions).toMatchObject([
      { kind: 'call', tool: 'write_to_file', targets: ['src/a.ts'], intentId: 'INT-001' },
    ])
    expect([roo.asked, await stagedChanges()]).toEqual([[], []])
  })

  it('an ask rule refuses a call that the host approves if no person can be asked', async () => {
    const { roo, stagedChanges } = await liveFixture({ policy: 'access: {src/a.ts: ask}\n' })
    const result = parseResult(await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'x\n' }))
    expect(result).toMatchObject({ reason: 'needs_approval' })
    expect(await stagedChanges()).toEqual([])
  })
})

it('trap 9: a person’s next edit of a staged file is not attributed to the host', async () => {
  const { roo } = await liveFixture()
  await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'x\n' })
  expect([...roo.recentlyEditedByRoo]).toEqual([])
})

describe('other problems', () => {
  it('a refusal that a tool catches shows the model no stack trace', async () => {
    const { roo } = await liveFixture()
    roo.ask = async () => ({ response: 'yesButtonClicked' })
    const result = await roo.dispatch('write_to_file', { path: 'mail/m.ts', content: 'x' })
    expect(result).toContain('scope_violation')
    expect(result).not.toMatch(/\bat .*\.[jt]s:\d+/)
  })

  it('a write that is refused late is not reported as done', async () => {
    const { roo, project, stagedChanges } = await liveFixture()
    const { ask } = roo
    roo.ask = async (...args) => {
      const answer = await ask(...args)
      project.write('.orchestration/policy.yaml', 'access: {src/a.ts: read-only}\n')
      return answer
    }
    const result = await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'x\n' })
    expect(result).not.toContain('"operation"')
    expect(result).toContain('access_denied')
    expect(await stagedChanges()).toEqual([])
  })

  it('a repeated call stops at the host’s own limit', async () => {
    const { roo } = await liveFixture({ policy: 'gate: {breaker: 100}\n' })
    const call = () => roo.dispatch('write_to_file', { path: 'mail/m.ts', content: 'x' })
    for (let round = 0; round < 3; round++) expect(await call()).toContain('scope_violation')
    expect(await call()).toContain('repetition limit')
  })

  it('a workspace in a temporary directory can be listed', async () => {
    const { session, root } = await site({ 'tmp/out/a.ts': '', 'src/a.ts': '' })
    writeFileSync(`${root}/b.ts`, '')
    onTestFinished(() => session.close())
    const call = { id: '1', name: 'list_files', arguments: { path: '.', recursive: true } }
    expect((await createRooTools(session).execute(call)).content).toContain('src/a.ts')
  })
})
