import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { forwardInitialize } from '../../../src/agents/acp/capabilities.js'
import { countProcesses } from '../../support/processes.js'
import { FILES, metadataOf, recordsOf, startSession, testWorkspace } from '../../support/workspace.js'
import { scriptedAgent, startProxy } from './scripted-editor.js'

/** Starts a proxy, initializes the connection, and creates a session. */
async function startProxySession(
  files: Readonly<Record<string, string>> = FILES,
  capabilities: object = {},
  version = 1,
) {
  const project = testWorkspace(files)
  const workspace = await project.open({ durability: 'memory' })
  const session = await startSession(workspace)
  const proxy = startProxy(workspace, session, [...scriptedAgent(workspace.root), `${version}`])
  const { root } = project
  const initialized = await proxy.editor.request('initialize', { protocolVersion: 2, clientCapabilities: capabilities })
  const created = await proxy.editor.request('session/new', { cwd: root, mcpServers: [{ name: 'm', command: 'x' }] })
  const file = (path: string) => ({ sessionId: 's1', path: `${root}/${path}` })
  const stagedChanges = async () =>
    (await session.changes()).changes.filter(({ kind }) => kind !== 'mkdir').map(({ kind, path }) => `${kind} ${path}`)
  return { project, workspace, session, root, initialized, created, file, stagedChanges, ...proxy }
}

describe('the offered capabilities', () => {
  it.each([
    [undefined, true],
    ['claude', true],
    ['gemini', false],
  ] as const)('include files, unless the client is known to fail with them: %s', (client, isServed) => {
    const { params } = forwardInitialize({ protocolVersion: 1, clientCapabilities: {} }, client)
    const fs = { readTextFile: isServed, writeTextFile: isServed }
    expect(params).toEqual({ protocolVersion: 1, clientCapabilities: { fs, terminal: true } })
  })
})

describe('files', () => {
  it('are staged, not written to the disk, and requests and system calls see each other’s writes', async () => {
    const { editor, root, file, project, stagedChanges } = await startProxySession()
    const [served, seen, , , readOwn, , last] = await editor.prompt(
      { request: 'fs/write_text_file', params: { ...file('src/new/x.ts'), content: 'x\ny\n' } },
      { read: `${root}/src/new/x.ts` },
      { write: `${root}/src/a.ts`, content: 'mine\n' },
      { write: `${root}/src/new/x.ts`, content: 'again\n' },
      { request: 'fs/read_text_file', params: file('src/a.ts') },
      { remove: `${root}/src/b.ts` },
      { request: 'fs/read_text_file', params: { ...file('src/new/x.ts'), line: 1, limit: 1 } },
    )
    expect([served?.result, seen, readOwn?.result, last?.result]).toEqual([
      {},
      'x\ny\n',
      { content: 'mine\n' },
      { content: 'again\n' },
    ])
    expect([project.text('src/a.ts'), project.text('src/b.ts')]).toEqual([FILES['src/a.ts'], FILES['src/b.ts']])
    expect(existsSync(`${root}/src/new`)).toBe(false)
    expect(await stagedChanges()).toEqual(['delete src/b.ts', 'modify src/a.ts', 'create src/new/x.ts'])
  })

  it('out of scope, protected or outside are refused with our error, and the editor gets no request for them', async () => {
    const { editor, file, root, workspace, session, project } = await startProxySession()
    symlinkSync('/tmp', `${root}/src/away`)
    const paths = ['mail/m.ts', '.git/config', 'src/away/escrow-acp.txt', '../outside.txt']
    const [scope, git, link, outside, relative, absent, unread, unknown] = await editor.prompt(
      ...paths.map((path) => ({ request: 'fs/write_text_file', params: { ...file(path), content: 'x' } })),
      { request: 'fs/write_text_file', params: { sessionId: 's1', path: 'src/a.ts', content: 'x' } },
      { request: 'fs/read_text_file', params: file('src/none.ts') },
      { request: 'fs/read_text_file', params: { sessionId: 's1', path: '/etc/passwd' } },
      { request: 'fs/delete_everything', params: {} },
    )
    expect(scope?.error).toMatchObject({ code: -32_010, data: { type: 'tool_error', reason: 'scope_violation' } })
    expect(scope?.error?.message).toMatch(/^Scope Violation: INT-001 is not authorized to edit mail\/m\.ts\. /)
    expect([git, link, outside].map((response) => response?.error?.data?.reason)).toEqual([
      'protected_path',
      'path_escape',
      'path_escape',
    ])
    expect([relative, absent, unread, unknown].map((response) => response?.error?.code)).toEqual([
      -32_602, -32_002, -32_602, -32_601,
    ])
    expect(existsSync('/tmp/escrow-acp.txt')).toBe(false)
    expect(editor.received.filter(({ method }) => method !== undefined)).toEqual([])
    await session.flush()
    const denied = (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'denied')
    expect(denied.map(({ path }) => path)).toContain('mail/m.ts')
    expect(project.text('mail/m.ts')).toBe(FILES['mail/m.ts'])
  })

  it('with unsaved edits are read from the editor, unless they are staged or denied', async () => {
    const { editor, file, project } = await startProxySession(FILES, { fs: { readTextFile: true } })
    project.write('.orchestration/policy.yaml', 'access: { src/sub/c.ts: deny }\n')
    editor.answerRequest = () => ({ result: { content: 'one\ntwo\nthree\n' } })
    const [unsaved, , stagedChanges, denied] = await editor.prompt(
      { request: 'fs/read_text_file', params: { ...file('src/a.ts'), line: 2, limit: 1 } },
      { request: 'fs/write_text_file', params: { ...file('src/b.ts'), content: 'staged\n' } },
      { request: 'fs/read_text_file', params: file('src/b.ts') },
      { request: 'fs/read_text_file', params: file('src/sub/c.ts') },
    )
    expect([unsaved?.result, stagedChanges?.result]).toEqual([{ content: 'two\n' }, { content: 'staged\n' }])
    expect(denied?.error?.data?.reason).toBe('access_denied')
    expect(editor.received.filter(({ method }) => method === 'fs/read_text_file')).toHaveLength(1)
  })
})

describe('terminals', () => {
  const run = (command: string, args?: string[]) => ({
    request: 'terminal/create',
    params: { sessionId: 's1', command, args },
  })
  const at = (method: string, terminalId = 'escrow-1') => ({ request: method, params: { sessionId: 's1', terminalId } })

  it('run contained on the staged files, and the agent sees their changes', async () => {
    const { editor, root, project, stagedChanges } = await startProxySession()
    const [, , exit, output, killed, , seen, released, gone] = await editor.prompt(
      { write: `${root}/src/a.ts`, content: 'mine\n' },
      run('cat src/a.ts; echo made > src/made.ts; echo no > mail/m.ts; rm src/b.ts'),
      at('terminal/wait_for_exit'),
      at('terminal/output'),
      run('sleep', ['600']),
      at('terminal/kill', 'escrow-2'),
      { read: `${root}/src/made.ts` },
      at('terminal/release'),
      at('terminal/output'),
    )
    expect(exit?.result).toEqual({ exitCode: 0, signal: null })
    expect(output?.result).toMatchObject({ output: 'mine\n', truncated: false, exitStatus: { exitCode: 0 } })
    expect([killed?.result, seen, released?.result]).toEqual([{ terminalId: 'escrow-2' }, 'made\n', {}])
    expect(gone?.error?.code).toBe(-32_602)
    expect(existsSync(`${root}/src/made.ts`)).toBe(false)
    expect(project.text('mail/m.ts')).toBe(FILES['mail/m.ts'])
    expect(await stagedChanges()).toEqual(['delete src/b.ts', 'modify src/a.ts', 'create src/made.ts'])
  })

  it('obey policy, keep the end of long output, and reach the editor as text', async () => {
    const { editor, project } = await startProxySession()
    project.write('.orchestration/policy.yaml', 'terminal: { classes: { network: deny } }\n')
    const [refused, , , cut] = await editor.prompt(
      run('git push'),
      { request: 'terminal/create', params: { sessionId: 's1', command: 'printf "aäöü"', outputByteLimit: 3 } },
      at('terminal/wait_for_exit'),
      at('terminal/output'),
      {
        notify: 'session/update',
        params: {
          sessionId: 's1',
          update: { sessionUpdate: 'tool_call', content: [{ type: 'terminal', terminalId: 'escrow-1' }] },
        },
      },
    )
    expect(refused?.error?.data).toMatchObject({ type: 'tool_error' })
    expect(cut?.result).toMatchObject({ output: 'ü', truncated: true })
    const update = editor.received.find(({ method }) => method === 'session/update')
    expect(update?.params?.update?.content).toEqual([
      { type: 'content', content: { type: 'text', text: '$ printf "aäöü"\nü' } },
    ])
  })
})

describe('forwarding', () => {
  it('reports the real capabilities to both sides and passes unknown messages on unchanged', async () => {
    const { editor, initialized, created, root } = await startProxySession(FILES, {
      terminal: false,
      auth: { terminal: true },
      x: 1,
    })
    const { received } = initialized.result?.agentCapabilities ?? {}
    expect(received).toEqual({
      protocolVersion: 2,
      clientCapabilities: {
        x: 1,
        auth: {},
        fs: { readTextFile: true, writeTextFile: true },
        terminal: true,
      },
    })
    expect(created.result?.received?.mcpServers).toEqual([{ name: 'm', command: 'x' }])
    const odd = { deep: [{ a: null }], text: 'ü\u2028' }
    expect((await editor.request('_vendor/odd', odd, 'text-id')).result?.received).toEqual({
      method: '_vendor/odd',
      params: odd,
    })
    const outsideSession = await editor.request('session/new', { cwd: '/usr', mcpServers: [] })
    expect(outsideSession.error?.message).toBe(`escrow governs this agent in ${root}, and /usr is outside it.`)
    editor.send({ method: 'session/cancel', params: { sessionId: 's1' } })
    editor.answerRequest = ({ params }) => ({ result: { back: params } })
    const [own] = await editor.prompt({ request: '_vendor/back', params: odd })
    expect(own).toMatchObject({ id: 1, result: { back: odd } })
    expect(editor.received.find(({ method }) => method === '_heard')?.params?.method).toBe('session/cancel')
  })

  it('adds the staged changes to a permission request, and an allow is not a verdict', async () => {
    const { editor, root, file, project, workspace } = await startProxySession()
    editor.answerRequest = () => ({ result: { outcome: { outcome: 'selected', optionId: 'yes' } } })
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_always' }]
    const toolCall = { toolCallId: 'c1', content: [{ type: 'content', content: { type: 'text', text: 'mine' } }] }
    const [, , answer] = await editor.prompt(
      { request: 'fs/write_text_file', params: { ...file('src/a.ts'), content: 'new\n' } },
      { remove: `${root}/src/b.ts` },
      { request: 'session/request_permission', params: { sessionId: 's1', toolCall, options } },
    )
    expect(answer?.result).toEqual({ outcome: { outcome: 'selected', optionId: 'yes' } })
    const request = editor.received.find(({ method }) => method === 'session/request_permission')?.params
    const [first, summary, diff] = Object.values(request?.toolCall?.content ?? {})
    expect([request?.options, first]).toEqual([options, toolCall.content[0]])
    expect(summary?.content?.text).toMatch(
      /^escrow: 2 changes are staged in session 'agent'.*\n.*\n- delete src\/b\.ts$/,
    )
    expect(diff).toEqual({ type: 'diff', path: `${root}/src/a.ts`, oldText: FILES['src/a.ts'], newText: 'new\n' })
    expect(project.text('src/a.ts')).toBe(FILES['src/a.ts'])
    const { changes } = await (await workspace.review('agent')).changes()
    expect(changes.map(({ state }) => state)).toEqual(['pending', 'pending'])
  })
})

describe("a reviewer's feedback", () => {
  it('is added once, before the text of the next prompt, or after it if that is a slash command', async () => {
    const { editor, file, workspace } = await startProxySession()
    const prompt = async (text: string) => {
      const params = { sessionId: 's1', prompt: [{ type: 'text', text }] }
      return (await editor.request('session/prompt', params)).result?.received
    }
    for (const [path, text, where] of [
      ['src/a.ts', 'Go on.', 0],
      ['src/b.ts', '/compact', 1],
    ] as const) {
      await editor.prompt({ request: 'fs/write_text_file', params: { ...file(path), content: 'new\n' } })
      await (await workspace.review('agent')).reject(path, 'Not like this.', { name: 'Ada' })
      const feedback = expect.stringContaining('Not like this.')
      expect(await prompt(text)).toEqual(where === 0 ? [feedback, text] : [text, feedback])
      expect(await prompt(text)).toEqual([text])
    }
  })
})

describe('the ledger', () => {
  it('records the name and the model that the agent reports', async () => {
    const { editor, file, session } = await startProxySession()
    const write = () =>
      editor.prompt({ request: 'fs/write_text_file', params: { ...file('src/a.ts'), content: 'new\n' } })
    await write()
    expect(session.agent).toEqual({ tool: 'scripted', toolVersion: '3', model: 'm-acp' })
    await editor.request('session/set_model', { sessionId: 's1', modelId: 'm-other' })
    expect(session.agent?.model).toBe('m-other')
    await editor.request('session/set_model', { sessionId: 's1', modelId: 'default' })
    expect(session.agent?.model).toBe('m-other')
    const configOptions = [{ id: 'model', category: 'model', type: 'select', currentValue: 'm-new', options: [] }]
    const update = { sessionUpdate: 'config_option_update', configOptions }
    await editor.prompt({ notify: 'session/update', params: { sessionId: 's1', update } })
    expect(session.agent?.model).toBe('m-new')
  })
})

describe('version 2 of the protocol', () => {
  it('has no requests for files and terminals: the agent works in its mount, and its changes are staged', async () => {
    const { editor, initialized, root, file, stagedChanges, project, session } = await startProxySession(FILES, {}, 2)
    expect(initialized.result?.protocolVersion).toBe(2)
    const [asked, ran, , , seen] = await editor.prompt(
      { request: 'fs/write_text_file', params: { ...file('src/a.ts'), content: 'x' } },
      { request: 'terminal/create', params: { sessionId: 's1', command: 'touch src/ran' } },
      { write: `${root}/src/new.ts`, content: 'mine\n' },
      { write: `${root}/mail/m.ts`, content: 'no\n' },
      { read: `${root}/src/new.ts` },
    )
    expect([asked?.error?.code, ran?.error?.code, seen]).toEqual([-32_601, -32_601, 'mine\n'])
    editor.input.end()
    await expect.poll(stagedChanges).toEqual(['create src/new.ts'])
    expect([project.text('mail/m.ts'), existsSync(`${root}/src/new.ts`)]).toEqual([FILES['mail/m.ts'], false])
    expect(session.agent).toMatchObject({ tool: 'scripted', toolVersion: '3' })
    expect(editor.received.filter(({ method }) => method !== undefined)).toEqual([])
  })

  it('adds the staged changes to a permission request for a tool call, as patches that git can apply', async () => {
    const { editor, root, project } = await startProxySession({ ...FILES, 'src/end.ts': 'no end' }, {}, 2)
    editor.answerRequest = () => ({ result: { outcome: { outcome: 'selected', optionId: 'yes' } } })
    const content = [{ type: 'content', content: { type: 'text', text: 'mine' } }]
    const subject = { type: 'tool_call', toolCall: { toolCallId: 'c1', content } }
    const writes = {
      'src/a.ts': 'new\n',
      'src/end.ts': 'no end\nnow',
      'src/new file.ts': 'one\ntwo',
      'src/"q".ts': 'q\n',
    }
    const results = await editor.prompt(
      ...Object.entries(writes).map(([path, text]) => ({ write: `${root}/${path}`, content: text })),
      { remove: `${root}/src/b.ts` },
      { request: 'session/request_permission', params: { sessionId: 's1', title: 'Go on?', subject, options: [] } },
    )
    expect(results.at(-1)?.result).toEqual({ outcome: { outcome: 'selected', optionId: 'yes' } })
    const params = editor.received.find(({ method }) => method === 'session/request_permission')?.params
    const [first, summary, ...diffs] = Object.values(params?.subject?.toolCall?.content ?? {})
    expect([params?.title, first]).toEqual(['Go on?', content[0]])
    expect(summary?.content?.text).toMatch(
      /^escrow: 5 changes are staged .*\n.*\n- delete src\/b\.ts\n- create src\/"q"\.ts$/,
    )
    expect(diffs.map(({ changes }) => changes)).toEqual([
      [{ operation: 'modify', path: `${root}/src/a.ts` }],
      [{ operation: 'modify', path: `${root}/src/end.ts` }],
      [{ operation: 'add', path: `${root}/src/new file.ts` }],
    ])
    const patch = diffs.map((diff) => String(diff.patch?.text)).join('')
    execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: root, input: patch })
    for (const path of ['src/a.ts', 'src/end.ts', 'src/new file.ts'] as const)
      expect(project.text(path)).toBe(writes[path])
  })

  it('describes the staged changes in a permission request for anything else', async () => {
    const { editor, root } = await startProxySession(FILES, {}, 2)
    editor.answerRequest = () => ({ result: { outcome: { outcome: 'cancelled' } } })
    const ask = (more: object) => ({
      request: 'session/request_permission',
      params: { sessionId: 's1', title: 'Run it?', options: [], ...more },
    })
    const subject = { type: 'command', command: 'make', cwd: root }
    await editor.prompt(
      { write: `${root}/src/a.ts`, content: 'new\n' },
      ask({ description: 'Mine.', subject }),
      ask({}),
    )
    const [first, second] = editor.received.flatMap(({ method, params }) =>
      method === 'session/request_permission' ? [params] : [],
    )
    expect(first).toMatchObject({
      subject,
      description: expect.stringMatching(/^Mine\.\n\nescrow: 1 change is staged .*\n.*\n- modify src\/a\.ts$/),
    })
    expect(second?.description).toMatch(/^escrow: 1 change is staged /)
    expect(second).not.toHaveProperty('subject')
  })

  it('is refused for an editor that only supports version 1', async () => {
    const project = testWorkspace()
    const workspace = await project.open({ durability: 'memory' })
    const { editor } = startProxy(workspace, await startSession(workspace), [...scriptedAgent(project.root), '2'])
    const initialized = await editor.request('initialize', { protocolVersion: 1 })
    expect(initialized.error?.message).toBe('The agent uses version 2 of the protocol; version 1 was asked for.')
  })
})

describe('invalid messages and lost connections', () => {
  it('a method that agents may not call is not passed on, in any spelling', async () => {
    const { editor, file } = await startProxySession()
    const methods = [
      'FS/WRITE_TEXT_FILE',
      'fs/Write_Text_File',
      ' fs/write_text_file',
      'fs\\write_text_file',
      'mcp/message',
      'workspace/applyEdit',
    ]
    const requests = methods.map((request) => ({ request, params: { ...file('src/a.ts'), content: 'x' } }))
    const notifications = methods.map((notify) => ({ notify, params: { ...file('src/a.ts'), content: 'x' } }))
    const answers = await editor.prompt(...requests, ...notifications)
    expect(answers.slice(0, methods.length).map((response) => response?.error?.code)).toEqual(
      methods.map(() => -32_601),
    )
    expect(editor.received.filter(({ method }) => method !== undefined)).toEqual([])
  })

  it('an ambiguous message is not passed on', async () => {
    const { editor, root, log } = await startProxySession()
    const write = `"method":"fs/write_text_file","params":{"sessionId":"s1","path":"${root}/src/a.ts","content":"x"}`
    await editor.prompt(
      { say: 'no JSON\n' },
      { say: `[{"jsonrpc":"2.0","id":7,${write}}]\n` },
      { say: `{"jsonrpc":"2.0","id":7,"result":{},${write}}\n` },
      { say: `{"jsonrpc":"2.0",${write},"method":"_odd"}\n` },
      { say: `{"jsonrpc":"2.0",${write}}\n` },
    )
    const requests = editor.received.filter(({ method }) => method !== undefined)
    expect(requests.map(({ method, params }) => [method, params?.path])).toEqual([['_odd', `${root}/src/a.ts`]])
    expect(log().match(/The agent sent an invalid message/g)).toHaveLength(3)
    editor.input.write('{broken\n')
    await editor.prompt()
    expect(editor.received.find(({ id }) => id === null)?.error?.code).toBe(-32_700)
  })

  it('a message that is not valid UTF-8 is answered with an error', async () => {
    const { editor } = await startProxySession()
    const broken = [Buffer.from('{"jsonrpc":"2.0","id":5,"method":"'), Buffer.from([0xff]), Buffer.from('"}\n')]
    editor.input.write(Buffer.concat(broken))
    await editor.prompt()
    expect(editor.received.find(({ id }) => id === null)?.error?.message).toBe('This is not valid UTF-8.')
  })

  it('a message that is nested too deeply is not passed on, and the connection stays open', async () => {
    const { editor, file, log } = await startProxySession()
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
    const [, , , , served] = await editor.prompt(
      { say: `{"jsonrpc":"2.0","id":"a","method":"_odd","params":${deep}}\n` },
      { say: `{"jsonrpc":"2.0","id":"b","method":"session/request_permission","params":{"toolCall":{"x":${deep}}}}\n` },
      { say: `{"jsonrpc":"2.0","id":"c","method":"fs/write_text_file","params":{"x":${deep}}}\n` },
      { say: `{"jsonrpc":"2.0","id":101,"result":${deep}}\n` },
      { request: 'fs/write_text_file', params: { ...file('src/a.ts'), content: 'x\n' } },
    )
    expect(served?.result).toEqual({})
    expect(log().match(/The agent sent an invalid message/g)).toHaveLength(4)
    expect(editor.received.filter(({ method }) => method !== undefined)).toEqual([])
  })

  it('a line of ten megabytes is accepted', async () => {
    const { editor, file, session, root } = await startProxySession()
    const content = 'x'.repeat(10 << 20)
    const [written] = await editor.prompt({ request: 'fs/write_text_file', params: { ...file('src/big.ts'), content } })
    expect(written?.result).toEqual({})
    expect(session.fs.statSync(`${root}/src/big.ts`).size).toBe(content.length)
  })

  it('an agent that ends leaves no pending request and no process, and its changes are staged', async () => {
    const { editor, root, ended, stagedChanges, log } = await startProxySession()
    const steps = [{ write: `${root}/src/late.ts`, content: 'late\n' }, { exit: 3 }] as const
    await expect(editor.prompt(...steps)).rejects.toThrow('The agent has ended with code 3.')
    expect(await ended).toBe(3)
    expect(await stagedChanges()).toEqual(['create src/late.ts'])
    expect(log()).toContain('agent: begun\n')
    expect(countProcesses(`${root}/agent.mjs`)).toBe(0)
  })

  it('an editor that disconnects ends the agent and all its processes', async () => {
    const { editor, root, ended, stagedChanges } = await startProxySession()
    const command = `sleep 600; : ${root}/slept`
    await editor.prompt(
      { write: `${root}/src/late.ts`, content: 'late\n' },
      { request: 'terminal/create', params: { sessionId: 's1', command } },
    )
    expect([countProcesses(`${root}/slept`) > 0, countProcesses(`${root}/agent.mjs`) > 0]).toEqual([true, true])
    editor.input.end()
    expect(await ended).toBe(0)
    expect(await stagedChanges()).toEqual(['create src/late.ts'])
    expect([countProcesses(`${root}/slept`), countProcesses(`${root}/agent.mjs`)]).toEqual([0, 0])
    expect(existsSync(`${root}/src/late.ts`)).toBe(false)
  })
})
