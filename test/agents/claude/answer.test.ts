import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { answerClaude, CLAUDE_EVENTS } from '../../../src/agents/claude/index.js'
import { serveShell } from '../../../src/index.js'
import { tempDir } from '../../support/facade.js'
import { stateOf } from '../../support/state.js'
import { INTENTS, metadataOf, recordsOf, startSession } from '../../support/workspace.js'
import { call, setUpHooks } from '../hook/setup.js'

const WRITES = [
  ['Write', { file_path: 'src/a.ts', content: 'x' }],
  ['Edit', { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' }],
  ['MultiEdit', { file_path: 'src/a.ts', edits: [] }],
  ['NotebookEdit', { notebook_path: 'src/a.ipynb', new_source: '' }],
] as const

describe('a tool that writes', () => {
  it.each(WRITES)('%s is refused outside of a mount, and the refusal names our tools', async (tool, input) => {
    const { claude, project } = setUpHooks()
    const { decision, record, answer } = await claude('PreToolUse', call(tool, input))
    expect(decision).toBe('deny')
    expect(record).toMatchObject({
      type: 'tool_error',
      tool,
      reason: 'unsupported',
      file: expect.stringMatching(/^src\/a/),
    })
    expect(record.hint).toMatch(/`escrow` MCP server: write_file, edit_file/)
    // One dialect and nothing else: with keys of another client the tool would run.
    expect(Object.keys(answer)).toEqual(['hookSpecificOutput'])
    const [last] = (await recordsOf(await project.open())).reverse()
    expect(last && metadataOf(last)).toMatchObject({ type: 'denied', reason: 'unsupported' })
  })

  it.each(WRITES)('%s passes inside of a mount, without a grant', async (tool, input) => {
    const { claude } = setUpHooks({ isStaged: true })
    expect((await claude('PreToolUse', call(tool, input))).answer).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse' },
    })
  })

  it.each([
    ['README.md', 'scope_violation'],
    ['.git/config', 'protected_path'],
    [' .git/config ', 'protected_path'],
    ['src/../.git/config', 'protected_path'],
    ['.claude/settings.json', 'protected_path'],
    ['src/link.ts', 'scope_violation'],
    ['/etc/passwd', 'path_escape'],
    ['~/x', 'path_escape'],
    ['../x', 'path_escape'],
  ])('is refused %j by the same judge with and without a mount (%s)', async (file_path, reason) => {
    for (const isStaged of [true, false]) {
      const { claude, project } = setUpHooks({ isStaged })
      symlinkSync('../mail/m.ts', `${project.root}/src/link.ts`)
      const { decision, record } = await claude('PreToolUse', call('Write', { file_path, content: 'x' }))
      expect([decision, record.reason]).toEqual(['deny', reason])
    }
  })

  it('is refused without a file name or an intent', async () => {
    for (const isStaged of [true, false]) {
      expect((await setUpHooks({ isStaged }).claude('PreToolUse', call('Write', { file_path: 7 }))).decision).toBe(
        'deny',
      )
      const { claude } = setUpHooks({ isStaged, intents: 'active_intents: []\n' })
      const { record } = await claude('PreToolUse', call('Write', { file_path: 'src/a.ts', content: '' }))
      expect(record.reason).toBe('missing_intent_id')
    }
  })

  it('is asked about if policy asks about each call, and denied if policy is invalid', async () => {
    const modal = setUpHooks({ isStaged: true, policy: 'approval: {modal: all}\n' })
    const write = call('Write', { file_path: 'src/a.ts', content: '' })
    expect((await modal.claude('PreToolUse', write)).decision).toBe('ask')
    const broken = setUpHooks({ isStaged: true, policy: 'nonsense: 1\n' })
    expect((await broken.claude('PreToolUse', write)).record.reason).toBe('policy_invalid')
  })

  it('uses the intent of the mount', async () => {
    const { claude } = setUpHooks({ isStaged: true, env: { ESCROW_SESSION: 'r', ESCROW_INTENT_ID: 'INT-002' } })
    const { record } = await claude('PreToolUse', call('Write', { file_path: 'src/a.ts', content: '' }))
    expect(record).toMatchObject({ reason: 'scope_violation', intent_id: 'INT-002' })
  })
})

describe('Bash', () => {
  const ls = call('Bash', { command: "echo 'it is'; ls", timeout: 5, run_in_background: false })

  it('is redirected to our terminal with the rest of its input, and not allowed by us', async () => {
    const { decision, output } = await setUpHooks().claude('PreToolUse', ls)
    expect(decision).toBe('ask')
    expect(output.updatedInput).toEqual({
      command: `escrow-sh --session c1 --intent INT-001 -c 'echo '\\''it is'\\''; ls'`,
      timeout: 5,
      run_in_background: false,
    })
  })

  it("is left to the client's rules if those see the replaced command, and asked about otherwise", async () => {
    const decisionFor = async (AI_AGENT: string) => {
      const { decision, output } = await setUpHooks({ env: { AI_AGENT } }).claude('PreToolUse', ls)
      expect(output.updatedInput).toMatchObject({ command: expect.stringMatching(/^escrow-sh /) })
      return decision
    }
    for (const version of ['2-1-197', '2-1-330', '2-2-0', '3-0-0'])
      expect(await decisionFor(`claude-code_${version}_harness`), version).toBeUndefined()
    for (const agentName of [
      'claude-code_2-1-30_harness',
      'claude-code_1-9-999_harness',
      'claude-code_2-1-330_agent',
      'x',
      '',
    ])
      expect(await decisionFor(agentName), agentName).toBe('ask')
  })

  it('runs in the session of another process that admits it', async () => {
    const { claude, project } = setUpHooks()
    const session = await startSession(await project.open(), 'c1', 'INT-001')
    const served = await serveShell(session, { announcedIn: project.root })
    expect((await claude('PreToolUse', ls)).decision).toBe('ask')
    await served.close()
    expect((await claude('PreToolUse', ls)).decision).toBe('deny')
  })

  it('is refused if another process holds the session, and judged by the intent selected there', async () => {
    const { claude, project } = setUpHooks({ intents: INTENTS })
    await startSession(await project.open(), 'c1', 'INT-002')
    const { record } = await claude('PreToolUse', ls)
    expect(record).toMatchObject({ reason: 'unsupported', hint: expect.stringContaining('execute_command') })
    const write = await claude('PreToolUse', call('Write', { file_path: 'src/a.ts', content: '' }))
    expect(write.record).toMatchObject({ reason: 'scope_violation', intent_id: 'INT-002' })
  })

  it('is refused without a command, because the client would run the original one', async () => {
    for (const command of [undefined, 7, ['ls'], 'a\0b'])
      expect((await setUpHooks().claude('PreToolUse', call('Bash', { command }))).decision).toBe('deny')
  })

  it('is judged by its class inside of a mount', async () => {
    const { claude } = setUpHooks({ isStaged: true, policy: 'terminal: {classes: {destructive: deny}}\n' })
    expect((await claude('PreToolUse', call('Bash', { command: 'rm -rf src' }))).record.reason).toBe('access_denied')
    expect((await claude('PreToolUse', call('Bash', { command: 'ls' }))).decision).toBeUndefined()
  })
})

describe('a tool that reads', () => {
  it('is judged by access rules, including secrets', async () => {
    const { claude, project } = setUpHooks({ policy: 'access: {mail: deny, docs: hidden}\n' })
    for (const path of ['.env', 'docs/x.md']) project.write(path, 'SECRET=1\n')
    const reason = async (tool: string, input: Record<string, unknown>) =>
      (await claude('PreToolUse', call(tool, input))).record.reason
    expect(await reason('Read', { file_path: `${project.root}/mail/m.ts` })).toBe('access_denied')
    expect(await reason('Read', { file_path: '.env' })).toBe('access_denied')
    expect(await reason('Read', { file_path: 'docs/x.md' })).toBe('hidden')
    expect(await reason('Grep', { pattern: 'SECRET' })).toBe('access_denied')
    expect(await reason('Grep', { pattern: 'SECRET', path: '' })).toBe('access_denied')
    expect(await reason('Grep', { pattern: 'SECRET', path: 'mail' })).toBe('access_denied')
    expect(await reason('Grep', { pattern: 'a', path: 'src' })).toBeUndefined()
    expect(await reason('Read', { file_path: 'src/a.ts' })).toBeUndefined()
    expect(await reason('Read', { file_path: 'src/none.ts' })).toBeUndefined()
  })
})

describe('an unknown tool', () => {
  it.each(['mcp__other__write', 'Frobnicate', 'toString', 'EnterWorktree'])(
    '%s is asked about outside of a mount',
    async (tool) => {
      expect((await setUpHooks().claude('PreToolUse', call(tool, {}))).decision).toBe('ask')
    },
  )

  it('needs an intent inside of a mount, and is then left to the client', async () => {
    const without = setUpHooks({ isStaged: true, intents: 'active_intents: []\n' })
    expect((await without.claude('PreToolUse', call('Frobnicate', {}))).record.reason).toBe('missing_intent_id')
    expect((await setUpHooks({ isStaged: true }).claude('PreToolUse', call('Frobnicate', {}))).decision).toBeUndefined()
  })

  it('with a name of our own server passes, because the server judges it', async () => {
    expect((await setUpHooks().claude('PreToolUse', call('mcp__escrow__write_file', {}))).decision).toBeUndefined()
    for (const other of ['mcp__escrowed__write_file', 'mcp__escrow__other__write_file', 'mcp__escrow__write'])
      expect((await setUpHooks().claude('PreToolUse', call(other, {}))).decision).toBe('ask')
  })
})

describe('a directory that is not a workspace', () => {
  it('asks about tool calls, and ignores other events', async () => {
    const { path, dispose } = tempDir()
    const base = { session_id: 's', cwd: path }
    const answer = (event: object) => answerClaude(JSON.stringify({ ...base, ...event }), { env: {} })
    const answered = await answer({ hook_event_name: 'PreToolUse', ...call('Write', { file_path: 'a', content: '' }) })
    expect(answered).toMatchObject({ hookSpecificOutput: { permissionDecision: 'ask' } })
    for (const hook_event_name of ['SessionStart', 'UserPromptSubmit', 'Stop'])
      expect(await answer({ hook_event_name })).toEqual({})
    dispose()
  })

  it('counts as the workspace that the call points into or Claude Code was started in', async () => {
    const { project } = setUpHooks()
    const from = { session_id: 's', cwd: '/', hook_event_name: 'PreToolUse' }
    const into = { ...from, ...call('Write', { file_path: `${project.root}/src/a.ts`, content: '' }) }
    const decided = { hookSpecificOutput: { permissionDecision: 'deny' } }
    expect(await answerClaude(JSON.stringify(into), { env: {} })).toMatchObject(decided)
    const out = { ...from, ...call('Write', { file_path: `${homedir()}/x`, content: '' }) }
    const env = { CLAUDE_PROJECT_DIR: project.root }
    expect(await answerClaude(JSON.stringify(out), { env })).toMatchObject(decided)
  })
})

describe('the other events', () => {
  it('the start and a prompt get the protocol and the intent', async () => {
    for (const event of ['SessionStart', 'UserPromptSubmit']) {
      const { output } = await setUpHooks().claude(event, { prompt: 'do', source: 'startup' })
      expect(output).toMatchObject({ hookEventName: event })
      expect(output.additionalContext).toMatch(/# Working under an intent[\s\S]*<intent id="INT-001"/)
    }
  })

  it('a rejection is delivered once with the next event; at the end of a turn it blocks the stop', async () => {
    const { claude, project } = setUpHooks({ intents: INTENTS })
    const rejectChange = async (path: string) => {
      const workspace = await project.open()
      const session = await startSession(workspace, 'c1')
      session.fs.writeFileSync(path, 'x')
      await (await workspace.review('c1')).reject(path, `No ${path}.`)
      await workspace.close()
    }
    await rejectChange('src/a.ts')
    const after = await claude('PostToolUse', { ...call('Read', {}), tool_response: {} })
    expect(after.output.additionalContext).toContain('No src/a.ts.')
    expect((await claude('PostToolUse', { ...call('Read', {}), tool_response: {} })).answer).toEqual({})
    await rejectChange('src/b.ts')
    expect((await claude('Stop', { stop_hook_active: true })).answer).toEqual({})
    expect((await claude('Stop', { stop_hook_active: false })).answer).toEqual({
      decision: 'block',
      reason: expect.stringContaining('No src/b.ts.'),
    })
    expect((await claude('Stop')).answer).toEqual({})
  })

  it('a permission is denied as the call is, and never granted', async () => {
    const { claude } = setUpHooks()
    const denied = await claude('PermissionRequest', call('Write', { file_path: 'src/a.ts', content: '' }))
    expect(denied.output).toMatchObject({
      decision: { behavior: 'deny', message: expect.stringContaining('unsupported') },
    })
    for (const tool of ['Bash', 'Frobnicate', 'Read'])
      expect((await claude('PermissionRequest', call(tool, { command: 'ls', file_path: 'src/a.ts' }))).answer).toEqual(
        {},
      )
  })

  it('a worktree is refused and recorded, with and without a mount, because nothing would stage its writes', async () => {
    for (const isStaged of [true, false]) {
      const { claude, project } = setUpHooks({ isStaged })
      await expect(claude('WorktreeCreate', { name: 'fix-1' })).rejects.toThrow(/escrow run --session fix-1 -- claude/)
      const [last] = (await recordsOf(await project.open())).reverse()
      expect(last && metadataOf(last)).toMatchObject({ type: 'denied', reason: 'unsupported' })
      // The model chose the name: it must not appear in our message.
      await expect(claude('WorktreeCreate', { name: 'x; rm -rf /' })).rejects.toThrow(/--session NAME -- claude/)
    }
  })

  it('unknown events are ignored', async () => {
    expect((await setUpHooks().claude('Notification', { message: 'x' })).answer).toEqual({})
    expect(CLAUDE_EVENTS).not.toContain('Notification')
  })
})

describe('invalid input', () => {
  it.each([
    '',
    '{',
    'null',
    '[]',
    '7',
    '{}',
    '{"hook_event_name":"PreToolUse"}',
    '{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_input":{}}',
    '{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"","tool_input":{}}',
    '{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"Write","tool_input":"x"}',
    '{"hook_event_name":"Stop","session_id":"s"}',
  ])('%s fails', async (text) => {
    await expect(answerClaude(text, { env: {} })).rejects.toThrow()
  })

  it.each([
    [' ', 'it is empty'],
    ['no event', 'it is not JSON'],
    ['[]', 'it is not an event of a hook'],
    ['{}', 'its field `hook_event_name` is missing'],
    ['{"hook_event_name":"PreToolUse","cwd":"/"}', 'its field `session_id` is missing'],
    [
      '{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"Write","tool_input":"x"}',
      'its field `tool_input` has the wrong form',
    ],
  ])('%s fails with one line that says what is wrong', async (text, problem) => {
    const message = `The input of a Claude Code hook (JSON on stdin) was expected, but ${problem}.`
    await expect(answerClaude(text, { env: {} })).rejects.toThrow(new Error(message))
  })

  it('fails for an invalid session id and a damaged workspace', async () => {
    const { claude, project } = setUpHooks()
    const write = call('Write', { file_path: 'src/a.ts', content: '' })
    await expect(claude('PreToolUse', { ...write, session_id: '../x' })).rejects.toThrow(/session/)
    mkdirSync(`${stateOf(project.root)}/sessions/c1`, { recursive: true })
    project.write('.orchestration/sessions/c1/owner', 'nobody')
    expect((await claude('PreToolUse', write)).decision).toBe('deny')
    rmSync(`${project.root}/.orchestration/active_intents.yaml`)
    project.write('.orchestration/active_intents.yaml', '{')
    expect((await claude('PreToolUse', write)).record.reason).toBe('policy_invalid')
  })

  it('does not change a decision when the ledger cannot be written', async () => {
    const { claude, project } = setUpHooks()
    mkdirSync(`${project.root}/.orchestration/agent_trace.jsonl`)
    expect((await claude('PreToolUse', call('Write', { file_path: 'README.md', content: '' }))).decision).toBe('deny')
    rmSync(`${project.root}/.orchestration/agent_trace.jsonl`, { recursive: true })
  })
})
