import { describe, expect, it } from 'vitest'
import { answerCline } from '../../../src/agents/cline/index.js'
import { tempDir } from '../../support/facade.js'
import { INTENTS, startSession } from '../../support/workspace.js'
import { setUpHooks } from '../hook/setup.js'

const PATCH = '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a one\n+x\n*** Delete File: mail/m.ts\n*** End Patch'

const reasonIn = (message: string | undefined): unknown => JSON.parse(message ?? '{}').reason

describe.each(['extension', 'sdk'] as const)('in the dialect of the %s', (dialect) => {
  it.each([
    ['write_to_file', { path: 'src/a.ts', content: 'x' }],
    ['replace_in_file', { path: 'src/a.ts', diff: '' }],
    ['editor', { path: 'src/a.ts', new_text: '' }],
    ['execute_command', { command: 'ls', requires_approval: 'false' }],
    ['run_commands', { commands: ['ls', 'pwd'] }],
    ['attempt_completion', { result: 'done', command: 'open x' }],
  ])('%s is blocked outside of a mount, and passes inside', async (tool, parameters) => {
    const held = await setUpHooks().cline(tool, parameters, dialect)
    const isKept = dialect === 'sdk' && ['editor', 'run_commands'].includes(tool)
    if (tool === 'run_commands' && isKept) {
      const escrowCommand = (command: string) => `escrow-sh --session t1 --intent INT-001 -c ${command}`
      expect(held).toMatchObject({ cancel: false, overrideInput: { commands: ['ls', 'pwd'].map(escrowCommand) } })
    } else {
      const reason = isKept ? held.context : held.errorMessage
      expect([held.cancel, held.overrideInput]).toEqual(isKept ? [false, {}] : [true, undefined])
      expect(held.contextModification).toBe(held.context)
      expect(reasonIn(reason?.split('\n\n')[0])).toBe('unsupported')
      expect(reason).toContain('`escrow` MCP server')
    }
    const inside = await setUpHooks({ isStaged: true }).cline(tool, parameters, dialect)
    expect([inside.cancel, inside.overrideInput]).toEqual([false, undefined])
  })

  it.each([
    ['write_to_file', { path: 'README.md', content: '' }, 'scope_violation'],
    ['write_to_file', { path: '@web:.clinerules/hooks/PreToolUse', content: '' }, 'protected_path'],
    ['write_to_file', { path: '.cline/hooks/PreToolUse.sh', content: '' }, 'protected_path'],
    ['new_rule', { path: '.clinerules/a.md', content: '' }, 'protected_path'],
    ['apply_patch', { input: PATCH }, 'access_denied'],
    ['apply_patch', { input: 'no patch' }, 'unsupported'],
    ['write_to_file', {}, 'unsupported'],
    ['run_commands', { commands: ['ls', 7] }, 'unsupported'],
    ['read_file', { path: 'mail/m.ts' }, 'access_denied'],
    ['read_files', { files: [{ path: 'src/a.ts' }, { path: 'mail/m.ts' }] }, 'access_denied'],
    ['search_files', { path: '.', regex: 'm' }, 'access_denied'],
  ])('%s %j is refused with and without a mount: %s', async (tool, parameters, reason) => {
    for (const isStaged of [true, false]) {
      const { cline } = setUpHooks({ isStaged, policy: 'access: {mail/m.ts: deny}\n' })
      const { cancel, errorMessage, context, overrideInput } = await cline(tool, parameters, dialect)
      const [reasonText] = (cancel ? errorMessage : context)?.split('\n\n') ?? []
      expect([cancel || overrideInput !== undefined, reasonIn(reasonText)]).toEqual([true, reason])
    }
  })

  it('passes reads and tools of our own server', async () => {
    const { cline } = setUpHooks()
    for (const [tool, parameters] of [
      ['read_file', { path: 'src/a.ts' }],
      ['list_files', { path: '.' }],
      ['ask_followup_question', { question: 'x' }],
      ['use_mcp_tool', { server_name: 'escrow', tool_name: 'write_file', arguments: '{}' }],
      ['escrow__write_file', { path: 'src/a.ts', content: '' }],
    ] as const) {
      const { cancel, review, overrideInput } = await cline(tool, parameters, dialect)
      expect([tool, cancel, review, overrideInput]).toEqual([tool, false, undefined, undefined])
    }
  })
})

describe('unknown calls', () => {
  it('are asked about if the client can ask, and blocked otherwise', async () => {
    for (const [tool, parameters] of [
      ['use_mcp_tool', { server_name: 'other', tool_name: 'x' }],
      ['browser_action', { action: 'launch' }],
      ['valueOf', {}],
      ['escrow__x__write_file', {}],
    ] as const) {
      expect(await setUpHooks().cline(tool, parameters)).toMatchObject({ cancel: true })
      expect(await setUpHooks().cline(tool, parameters, 'sdk')).toMatchObject({ cancel: false, review: true })
    }
  })

  it('are treated the same outside of a workspace, and no event or invalid text lets a tool run', async () => {
    const { path, dispose } = tempDir()
    const event = {
      hookName: 'PreToolUse',
      workspaceRoots: [path],
      preToolUse: { toolName: 'write_to_file', parameters: {} },
    }
    expect(await answerCline(JSON.stringify(event), { env: {} })).toMatchObject({ cancel: true })
    const call = { hookName: 'tool_call', workspaceRoots: [path], tool_call: { name: 'editor', input: {} } }
    expect(await answerCline(JSON.stringify(call), { env: {} })).toMatchObject({ cancel: false, review: true })
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '{}',
      '{"hookName":"PreToolUse"}',
      '{"hookName":"tool_call"}',
      '{"hookName":"x","tool_call":{}}',
    ])
      expect(await answerCline(text, { env: {}, cwd: path })).toMatchObject({
        cancel: true,
        errorMessage: expect.any(String),
      })
    dispose()
  })
})

describe('the SDK', () => {
  it('gets the intent with the first tool of a task, once; events without a waiting reader get no text', async () => {
    const { cline, project } = setUpHooks()
    const event = { hookName: 'agent_start', agent_id: 'a1', taskId: 't1', workspaceRoots: [project.root] }
    const began = await answerCline(JSON.stringify(event), { env: {}, isInMount: () => false })
    expect(began).toEqual({ cancel: false, contextModification: '' })
    const read = () => cline('read_files', { files: [{ path: 'src/a.ts' }] }, 'sdk')
    expect((await read()).context).toContain('# Working under an intent')
    expect(await read()).toEqual({ cancel: false, contextModification: '' })
  })
})

describe('the other events', () => {
  const answer = (root: string, hookName: string) =>
    answerCline(JSON.stringify({ hookName, taskId: 't1', workspaceRoots: [root] }), { env: {}, isInMount: () => false })

  it('the start gets the protocol, and feedback is delivered once', async () => {
    const { project } = setUpHooks({ intents: INTENTS })
    for (const name of ['TaskStart', 'UserPromptSubmit']) {
      const { cancel, contextModification, context } = await answer(project.root, name)
      expect([cancel, context]).toEqual([false, contextModification])
      expect(context).toContain('# Working under an intent')
    }
    const workspace = await project.open()
    const session = await startSession(workspace, 't1')
    session.fs.writeFileSync('src/a.ts', 'x')
    await (await workspace.review('t1')).reject('src/a.ts', 'No.'.repeat(20_000))
    await workspace.close()
    const { context = '' } = await answer(project.root, 'PostToolUse')
    expect(context).toMatch(/From the reviewer:[\s\S]*No\.No\./)
    // Cline reads at most 50 KB.
    expect(JSON.stringify(await answer(project.root, 'TaskStart')).length).toBeLessThan(50_000)
    expect(context.length).toBeLessThan(31_000)
    expect(await answer(project.root, 'PostToolUse')).toEqual({ cancel: false, contextModification: '' })
  })
})
