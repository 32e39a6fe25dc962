import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, symlinkSync } from 'node:fs'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { DENIAL, FEEDBACK } from '../../../src/agents/mcp/index.js'
import { startChild } from '../../children/run.js'
import { compileOnce } from '../../support/compiled.js'
import { metadataOf, recordsOf, startSession, testWorkspace } from '../../support/workspace.js'
import { callerOf, clientOn, clientOnHost, newClient, spawnServer, textOf } from './fixture.js'

const DECIDING = /approv|commit|discard|undo|verdict|reject|answer/i

describe('a tool call', () => {
  it("that is denied is an error with the denial's message and record", async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const call = callerOf(await clientOn(await workspace.session({ id: 's' })))
    const write = { path: 'src/a.ts', content: 'new\n' }
    const refused = await call('write_file', write)
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toMatch(/^You must cite a valid active Intent ID/)
    expect(refused._meta?.[DENIAL]).toMatchObject({ tool: 'write_file', reason: 'missing_intent_id' })
    expect(textOf(await call('select_active_intent', { intent_id: 'INT-001' }))).toMatch(
      /^Active intent set to INT-001/,
    )
    expect((await call('write_file', write)).isError).toBeUndefined()
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
    expect(textOf(await call('write_file', { ...write, path: 'mail/m.ts' }))).toMatch(/^Scope Violation: INT-001/)
  })

  it('stages nothing if one of its paths may not be written', async () => {
    const project = testWorkspace()
    const session = await startSession(await project.open())
    const call = callerOf(await clientOn(session))
    for (const [source, destination] of [
      ['src/a.ts', 'mail/a.ts'],
      ['mail/m.ts', 'src/m.ts'],
    ])
      expect((await call('move_file', { source, destination }))._meta?.[DENIAL]).toMatchObject({
        reason: 'scope_violation',
      })
    expect((await session.changes()).changes).toEqual([])
  })

  it('of delete_file stages the deletion, and deletes a directory with entries only if it is recursive', async () => {
    const project = testWorkspace()
    project.write('src/deep/b.ts', 'b\n')
    project.write('src/deep/empty/x', '')
    rmSync(`${project.root}/src/deep/empty/x`)
    symlinkSync('a.ts', `${project.root}/src/link`)
    const session = await startSession(await project.open())
    const call = callerOf(await clientOn(session))
    expect(textOf(await call('delete_file', { path: 'src/link' }))).toBe('Successfully deleted src/link')
    expect(session.fs.existsSync('src/a.ts')).toBe(true)
    expect(textOf(await call('delete_file', { path: 'src/deep/empty' }))).toContain('Successfully deleted')
    const full = await call('delete_file', { path: 'src/deep' })
    expect([full.isError, textOf(full)]).toEqual([true, expect.stringContaining('ENOTEMPTY')])
    expect((await call('delete_file', { path: 'src/deep', recursive: true })).isError).toBeUndefined()
    expect((await call('delete_file', { path: 'src/absent' })).isError).toBe(true)
    const outside = await call('delete_file', { path: 'mail', recursive: true })
    expect(outside._meta?.[DENIAL]).toMatchObject({ reason: 'scope_violation' })
    const { changes } = await session.changes()
    expect(changes.map(({ path, kind }) => [path, kind])).toEqual([
      ['src/deep/b.ts', 'delete'],
      ['src/deep/empty', 'delete'],
      ['src/link', 'delete'],
    ])
    expect(project.text('src/deep/b.ts')).toBe('b\n')
  })

  it('of edit_file needs no intent for a preview, and stages nothing', async () => {
    const project = testWorkspace()
    const session = await (await project.open()).session({ id: 's' })
    const call = callerOf(await clientOn(session))
    const edit = { path: 'src/a.ts', edits: [{ oldText: 'one', newText: '1' }] }
    expect(textOf(await call('edit_file', { ...edit, dryRun: true }))).toContain('-a one\n+a 1')
    expect((await call('edit_file', edit))._meta?.[DENIAL]).toMatchObject({ reason: 'missing_intent_id' })
    expect((await session.changes()).changes).toEqual([])
  })

  it('of a read is refused outside of the workspace, in any spelling', async () => {
    const project = testWorkspace()
    const session = await startSession(await project.open())
    const call = callerOf(await clientOn(session))
    symlinkSync('/etc', `${project.root}/src/etc`)
    for (const path of ['/etc/hostname', '../../../etc/hostname', 'src/etc/hostname', '~', 'src/../../x', 'C:\\x']) {
      for (const tool of ['read_text_file', 'list_directory', 'get_file_info', 'read_media_file'])
        expect([path, (await call(tool, { path })).isError]).toEqual([path, true])
    }
  })
})

describe("a reviewer's feedback", () => {
  it('is delivered once, with the next result, and never in the content of a file', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const call = callerOf(await clientOn(await startSession(workspace)))
    await call('write_file', { path: 'src/a.ts', content: 'x\n' })
    const review = await workspace.review('agent')
    await review.reject('src/a.ts', 'Not like this.', { name: 'Ada' })
    const read = await call('read_text_file', { path: 'src/b.ts' })
    // Clients show a model only the structured content, if there is any.
    expect(read.structuredContent).toEqual({ content: 'b\n', reviewer: expect.stringContaining('Not like this.') })
    expect(read.content.at(-1)).toMatchObject({ text: expect.stringContaining('Not like this.') })
    expect(read._meta?.[FEEDBACK]).toMatchObject([{ path: 'src/a.ts', reason: 'Not like this.' }])
    expect((await call('read_text_file', { path: 'src/b.ts' })).content).toHaveLength(1)
  })
})

describe('the tools and resources of the server', () => {
  it('decide nothing: no tool, resource, template or prompt', async () => {
    const project = testWorkspace()
    const client = await clientOn(await startSession(await project.open()))
    const { tools } = await client.listTools()
    const capabilities = client.getServerCapabilities()
    const resources = capabilities?.resources
      ? [...(await client.listResources()).resources, ...(await client.listResourceTemplates()).resourceTemplates]
      : []
    expect(capabilities?.prompts).toBeUndefined()
    expect(tools.map(({ name }) => name).filter((name) => DECIDING.test(name))).toEqual([])
    expect(resources.map(({ name }) => name).filter((name) => DECIDING.test(name))).toEqual([])
    for (const name of ['approve', 'commit', 'discard', 'undo', 'reject', 'answer', 'escrow_approve'])
      await expect(callerOf(client)(name)).rejects.toThrow(/not found/)
  })

  it('have correct hints about what they read and write', async () => {
    const project = testWorkspace()
    const { tools } = await (await clientOn(await startSession(await project.open()))).listTools()
    const toolsWithHint = (hint: 'readOnlyHint' | 'destructiveHint' | 'openWorldHint') =>
      tools.filter(({ annotations }) => annotations?.[hint] !== false).map(({ name }) => name)
    expect(toolsWithHint('openWorldHint')).toEqual([])
    const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name)
    expect(writing.sort()).toEqual(
      [
        ...[
          'create_directory',
          'delete_file',
          'edit_file',
          'execute_command',
          'move_file',
          'record_lesson',
          'request_scope_expansion',
        ],
        ...['revert_staged_changes', 'select_active_intent', 'travel_to_snapshot', 'write_file'],
      ].sort(),
    )
    expect(toolsWithHint('destructiveHint').filter((name) => writing.includes(name))).toEqual(['revert_staged_changes'])
  })
})

describe("a question to the client's user", () => {
  const ASK = 'access: {src/a.ts: ask}\n'
  const write = { path: 'src/a.ts', content: 'x\n' }

  async function setUpApproval(policy: string, askClient: boolean, content: object = { approve: true }) {
    const project = testWorkspace()
    project.write('.orchestration/policy.yaml', policy)
    const client = newClient({ elicitation: {} })
    const output: string[] = []
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      output.push(params.message)
      return { action: 'accept', content: { ...content } }
    })
    await clientOnHost(project.root, { session: 's', intent: 'INT-001', askClient }, client)
    return { project, call: callerOf(client), shown: output }
  }

  it('is asked if the server was started with that option, and an approval stages the write', async () => {
    const { project, call, shown } = await setUpApproval(ASK, true)
    expect((await call('write_file', write)).isError).toBeUndefined()
    expect(shown).toMatchObject([expect.stringContaining('May src/a.ts be written?')])
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
  })

  it('gives the agent what the person wrote with a refusal', async () => {
    const { call } = await setUpApproval(ASK, true, { approve: false, words: 'Not on a Friday.' })
    const answer = await call('write_file', write)
    expect(answer._meta?.[DENIAL]).toMatchObject({ reason: 'access_denied' })
    expect(textOf(answer)).toContain('Not on a Friday.')
  })

  it('names the hidden characters of what it shows', async () => {
    const { call, shown } = await setUpApproval(ASK, true)
    await call('write_file', { path: 'src/a.ts', content: 'one\n// \u202etwo\n' })
    expect(shown.join()).toContain('one\n// <U+202E>two\n')
  })

  it('is asked about a directory before it is created', async () => {
    const { call, shown } = await setUpApproval('access: {src/new: ask}\n', true)
    expect((await call('create_directory', { path: 'src/new/deep' })).isError).toBeUndefined()
    expect(shown.join()).toContain('src/new')
  })

  it('is not asked otherwise: the call is refused, and the question waits for a person', async () => {
    for (const [policy, askClient] of [
      [ASK, false],
      [`${ASK}approval: {by: person}\n`, true],
    ] as const) {
      const { call, shown } = await setUpApproval(policy, askClient)
      expect((await call('write_file', write))._meta?.[DENIAL]).toMatchObject({ reason: 'needs_approval' })
      expect(shown).toEqual([])
    }
  })
})

describe('escrow mcp', () => {
  it('serves the workspace of the working directory, and keeps acknowledged writes when it is killed', async () => {
    const project = testWorkspace()
    const { client, transport, call } = await spawnServer(
      `${project.root}/src`,
      '--session',
      's',
      '--intent',
      'INT-001',
    )
    expect(client.getServerVersion()?.name).toBe('escrowfs')
    expect((await call('write_file', { path: 'src/new.ts', content: 'new\n' })).isError).toBeUndefined()
    process.kill(transport.pid ?? expect.unreachable(), 'SIGKILL')
    await expect(call('read_text_file', { path: 'src/new.ts' })).rejects.toThrow()
    expect(existsSync(`${project.root}/src/new.ts`)).toBe(false)
    const again = await spawnServer(project.root, '--session', 's', '--intent', 'INT-001')
    expect(textOf(await again.call('read_text_file', { path: 'src/new.ts' }))).toBe('new\n')
  })

  it('ends with an error if another process holds its session; without a name it creates its own session', async () => {
    const project = testWorkspace()
    const first = await spawnServer(project.root, '--session', 's', '--intent', 'INT-001')
    await first.call('write_file', { path: 'src/a.ts', content: 'first\n' })
    const args = [`${compileOnce()}/test/children/escrow.js`, 'mcp', '--session', 's', '-C', project.root]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringMatching(/session/i)])
    const third = await spawnServer(project.root, '--intent', 'INT-001')
    expect((await third.call('write_file', { path: 'src/a.ts', content: 'third\n' })).isError).toBeUndefined()
    expect(textOf(await first.call('read_text_file', { path: 'src/a.ts' }))).toBe('first\n')
  })

  it('survives huge and invalid input', async () => {
    const project = testWorkspace()
    const { transport, call } = await spawnServer(project.root, '--session', 's', '--intent', 'INT-001')
    const content = `${'y'.repeat(20 * 1024 * 1024)}\nend`
    expect((await call('write_file', { path: 'src/huge.txt', content })).isError).toBeUndefined()
    expect(textOf(await call('read_text_file', { path: 'src/huge.txt', tail: 1 }))).toBe('end')
    expect((await call('write_file', { path: 'src/x', content: { not: 'text' } })).isError).toBe(true)
    await expect(call('no_such_tool')).rejects.toThrow(/not found/)
    expect((await call('search_files', { path: '.', pattern: `${'*a'.repeat(40)}b` })).isError).toBeUndefined()
    expect((await call('search_files', { path: '.', pattern: '{a,b}'.repeat(90) })).isError).toBe(true)
    expect(transport.pid).not.toBeNull()
    expect((await call('read_text_file', { path: 'src/b.ts' })).isError).toBeUndefined()
  })

  it('ends with an error on a message that is too long', () => {
    const project = testWorkspace()
    const input = `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(64 << 20)}"}\n`
    const command = [`${compileOnce()}/test/children/escrow.js`, 'mcp', '-C', project.root]
    const ended = spawnSync(process.execPath, command, { input, encoding: 'utf8' })
    expect(ended.stderr).toContain('A message of the client is too long. A line is longer than 67108864 bytes.')
    expect([ended.status, ended.stdout]).toEqual([1, ''])
  })

  it('refuses a call without a handshake, and ignores invalid lines before it', async () => {
    const project = testWorkspace()
    const child = startChild('escrow.ts', 'mcp', '-C', project.root)
    const params = { name: 'write_file', arguments: { path: 'src/a.ts', content: 'x' } }
    for (const line of [
      'no json',
      '{"jsonrpc":"2.0"',
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    ])
      child.say(line)
    const answer: { result?: { isError?: boolean } } = JSON.parse((await child.line()) ?? '')
    expect(answer.result?.isError).toBe(true)
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
    await child.end()
    expect(child.process.exitCode).toBe(0)
  })

  it('writes a ledger with each intent, call and denial', async () => {
    const project = testWorkspace()
    const { client, call } = await spawnServer(project.root, '--session', 's', '--intent', 'INT-001', '--model', 'm-2')
    await call('write_file', { path: 'src/new.ts', content: 'new\n' })
    await call('write_file', { path: 'mail/m.ts', content: 'new\n' })
    await client.close()
    const records = await recordsOf(await project.open())
    expect(records.map((record) => [metadataOf(record).type, metadataOf(record).reason ?? null])).toEqual([
      ['intent_selected', null],
      ['tool_call', null],
      ['denied', 'scope_violation'],
      ['tool_call', null],
      ['intent_cleared', null],
    ])
  })

  it('fails to start without a workspace, or with an unknown intent', async () => {
    const project = testWorkspace()
    await expect(spawnServer(project.root, '--intent', 'INT-404')).rejects.toThrow()
    const bare = testWorkspace({ 'a.txt': 'a' }, '')
    await expect(spawnServer(bare.root)).rejects.toThrow()
  })
})
