import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRooTools } from '../../../src/agents/roo/index.js'
import type { HumanQuestion } from '../../../src/hooks/index.js'
import { hostFs } from '../../../src/index.js'
import { site } from '../../terminal/site.js'
import { liveStand } from './live-stand.js'

/** What the host was found to stumble over, one by one: by the numbers research gave them. */

const parsed = (text: string): Record<string, unknown> => JSON.parse(text)

it('trap 1: a directory that may not be made does not leave the dispatcher without a result', async () => {
  const { roo, place, staged } = await liveStand()
  const told = parsed(await roo.dispatch('write_to_file', { path: 'mail/deep/er/new.ts', content: 'x' }))
  expect(told).toMatchObject({ reason: 'scope_violation' })
  expect(existsSync(`${place.root}/mail/deep`)).toBe(false)
  expect(await staged()).toEqual([])
})

it('trap 4: an edit tool’s own reading moves no base, so a person’s edit since the model read is caught', async () => {
  const { roo, place } = await liveStand()
  await roo.dispatch('read_file', { path: 'src/a.ts' })
  await roo.getSystemPrompt()
  place.write('src/a.ts', 'a one\na two\na three, by a person\n')
  const edit = { file_path: 'src/a.ts', old_string: 'a one', new_string: 'A' }
  expect(parsed(await roo.dispatch('edit', edit))).toMatchObject({ reason: 'stale_file' })
  await roo.dispatch('read_file', { path: 'src/a.ts' })
  expect(parsed(await roo.dispatch('edit', { ...edit, new_string: 'B' }))).toMatchObject({ operation: 'modified' })
})

it('trap 10: a file of CRLF keeps its line ends, and $& in a text is a text', async () => {
  const { roo, session } = await liveStand({ files: { 'src/a.ts': 'one\r\ntwo\r\n', 'src/b.ts': 'b\n' } })
  await roo.dispatch('edit', { file_path: 'src/a.ts', old_string: 'one', new_string: '$&' })
  expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('$&\r\ntwo\r\n')
  const tools = createRooTools(session)
  const call = { file_path: 'src/b.ts', old_string: 'b', new_string: "$& $1 $'" }
  await tools.execute({ id: '1', name: 'search_replace', arguments: call })
  expect(session.fs.readFileSync('src/b.ts', 'utf8')).toBe("$& $1 $'\n")
})

it('trap 1, in a part that streams in: no directory is refused for want of scope, and none is made', async () => {
  const { roo, place } = await liveStand()
  await roo.stream('mail/deep/new.ts', 'half')
  expect(existsSync(`${place.root}/mail/deep`)).toBe(false)
})

it('trap 2: the loop that looks for a directory that is there ends, whatever may not be read', async () => {
  const policy = 'access: {src/shut: deny, src/hid: hidden}\n'
  const { roo, session } = await liveStand({ policy })
  for (const path of ['src/shut/x/y.ts', 'src/hid/x/y.ts']) {
    const told = parsed(await roo.dispatch('write_to_file', { path, content: 'x' }))
    expect(told.type ?? told.status).toMatch(/error/)
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

  it('a patch whose second file is refused is refused before its first', async () => {
    const { roo, staged } = await liveStand()
    const told = parsed(await roo.dispatch('apply_patch', { patch }))
    expect(told).toMatchObject({ reason: 'scope_violation', file: 'mail/m.ts' })
    expect(await staged()).toEqual([])
  })

  it('two hunks on one file are both there', async () => {
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

it('trap 5: an approval that knows nothing of outside lets nothing out', async () => {
  const { roo, place } = await liveStand()
  for (const path of ['../outside.txt', `${dirname(place.root)}/outside.txt`]) {
    expect(parsed(await roo.dispatch('write_to_file', { path, content: 'x' }))).toMatchObject({ reason: 'path_escape' })
  }
  expect(existsSync(`${dirname(place.root)}/outside.txt`)).toBe(false)
})

it.each([
  ['a Move to', 'apply_patch', '*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: mail/a.ts\n*** End Patch'],
  ['an indented header', 'apply_patch', '*** Begin Patch\n   *** Delete File: mail/m.ts\n*** End Patch'],
  ['an image whose ending is the host’s to choose', 'generate_image', 'mail/logo'],
])('trap 6: %s is judged as any path', async (_what, tool, text) => {
  const { roo, staged } = await liveStand()
  const args = tool === 'apply_patch' ? { patch: text } : { path: text, prompt: 'x' }
  expect(parsed(await roo.dispatch(tool, args))).toMatchObject({ reason: 'scope_violation' })
  expect(await staged()).toEqual([])
})

it.each([
  'cat secret/.env',
  'cd secret && cat .env',
  'cp secret/.env x; cat x',
  'FOO=1 cat secret/.env',
  'cat ROOT/secret/.env',
])('trap 7: %s reads no secret, however it is put', async (command) => {
  const { session, root } = await site({ 'secret/.env': 'needle', 'src/a.ts': '' })
  const args = { command: command.replace('ROOT', root) }
  const { content } = await createRooTools(session).execute({ id: '1', name: 'execute_command', arguments: args })
  expect(content).toContain('No such file')
  expect(content).not.toContain('needle')
})

it('trap 7: a redirection writes nowhere a tool may not', async () => {
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

describe('trap 8: the host’s yes, a queued message or the CLI’s, is nobody’s verdict', () => {
  it('it lets a tool run, and what that does waits for a review', async () => {
    const { roo, place, workspace } = await liveStand()
    await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'x\n' })
    expect(roo.asked).toEqual(['tool'])
    const review = await workspace().review('task-1')
    expect((await review.changes()).changes.map(({ state }) => state)).toEqual(['pending'])
    expect(await review.commit()).toMatchObject({ committed: [] })
    expect(place.text('src/a.ts')).toBe('a one\na two\n')
  })

  it('a person is asked beside it where policy wants one, and their no stands', async () => {
    const questions: HumanQuestion[] = []
    const human = async (question: HumanQuestion) => {
      questions.push(question)
      return { approved: false, words: 'Not this file.' }
    }
    const { roo, staged } = await liveStand({ engine: { human }, policy: 'approval: {modal: all}\n' })
    const told = parsed(await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'x\n' }))
    expect(told).toMatchObject({ reason: 'user_rejected', message: 'Not this file.' })
    expect(questions).toMatchObject([
      { kind: 'call', tool: 'write_to_file', targets: ['src/a.ts'], intentId: 'INT-001' },
    ])
    expect([roo.asked, await staged()]).toEqual([[], []])
  })

  it('and where nobody can be asked, an ask rule refuses whatever the host approves', async () => {
    const { roo, staged } = await liveStand({ policy: 'access: {src/a.ts: ask}\n' })
    const told = parsed(await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'x\n' }))
    expect(told).toMatchObject({ reason: 'needs_approval' })
    expect(await staged()).toEqual([])
  })
})

it('trap 9: a person’s next edit of a staged file is not taken for the host’s own', async () => {
  const { roo } = await liveStand()
  await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'x\n' })
  expect([...roo.recentlyEditedByRoo]).toEqual([])
})

describe('what was found beside the traps', () => {
  it('a refusal that a tool catches itself brings no stack to the model', async () => {
    const { roo } = await liveStand()
    roo.ask = async () => ({ response: 'yesButtonClicked' })
    const told = await roo.dispatch('write_to_file', { path: 'mail/m.ts', content: 'x' })
    expect(told).toContain('scope_violation')
    expect(told).not.toMatch(/\bat .*\.[jt]s:\d+/)
  })

  it('a write that is refused late is never told as done', async () => {
    const { roo, place, staged } = await liveStand()
    const { ask } = roo
    roo.ask = async (...args) => {
      const answer = await ask(...args)
      place.write('.orchestration/policy.yaml', 'access: {src/a.ts: read-only}\n')
      return answer
    }
    const told = await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'x\n' })
    expect(told).not.toContain('"operation"')
    expect(told).toContain('access_denied')
    expect(await staged()).toEqual([])
  })

  it('the same call again and again stops at the host’s own limit', async () => {
    const { roo } = await liveStand({ policy: 'gate: {breaker: 100}\n' })
    const call = () => roo.dispatch('write_to_file', { path: 'mail/m.ts', content: 'x' })
    for (let round = 0; round < 3; round++) expect(await call()).toContain('scope_violation')
    expect(await call()).toContain('repetition limit')
  })

  it('a workspace under a temporary directory lists what is in it', async () => {
    const { session, root } = await site({ 'tmp/out/a.ts': '', 'src/a.ts': '' })
    writeFileSync(`${root}/b.ts`, '')
    onTestFinished(() => session.close())
    const call = { id: '1', name: 'list_files', arguments: { path: '.', recursive: true } }
    expect((await createRooTools(session).execute(call)).content).toContain('src/a.ts')
  })
})
