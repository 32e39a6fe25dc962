import { describe, expect, it } from 'vitest'
import { answerCodex } from '../../../src/agents/codex/index.js'
import { INTENTS, startSession } from '../../support/workspace.js'
import { call, fieldsOf, type SetupOptions, setUpHooks } from '../hook/setup.js'

/** The keys that Codex knows in an answer. With any other key it lets the tool run. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  '': ['hookSpecificOutput', 'decision', 'reason'],
  hookSpecificOutput: [
    ...['hookEventName', 'permissionDecision', 'permissionDecisionReason', 'additionalContext', 'decision'],
  ],
  decision: ['behavior', 'message'],
}

/** Interprets an answer as Codex does: `deny` needs a reason, and `ask` or `allow` let the tool run. */
function decisionOf(answer: Readonly<Record<string, unknown>>): string {
  const output = fieldsOf(answer.hookSpecificOutput)
  for (const [where, fields] of [
    ['', answer],
    ['hookSpecificOutput', output],
    ['decision', fieldsOf(output.decision)],
  ] as const)
    for (const key of Object.keys(fields)) expect(KNOWN[where]).toContain(key)
  const { behavior, message } = fieldsOf(output.decision)
  const { permissionDecision = behavior, permissionDecisionReason = message } = output
  expect([undefined, 'deny']).toContain(permissionDecision)
  return permissionDecision === 'deny' && String(permissionDecisionReason ?? '').trim() !== '' ? 'held' : 'runs'
}

async function beforeTool(
  tool: string,
  input: Record<string, unknown>,
  setup: SetupOptions = {},
  event = 'PreToolUse',
) {
  const answer = await setUpHooks(setup).codex(event, call(tool, input))
  const output = fieldsOf(answer.hookSpecificOutput)
  const reason = String(output.permissionDecisionReason ?? fieldsOf(output.decision).message ?? '{}')
  return { heeded: decisionOf(answer), why: reason, answer }
}

const patch = (path: string) => ({
  command: `*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a one\n+x\n*** Add File: ${path}\n+x\n*** End Patch`,
})

describe.each(['PreToolUse', 'PermissionRequest'])('%s', (event) => {
  it.each([
    ['apply_patch', patch('src/new.ts')],
    ['Bash', { command: 'ls' }],
  ])('%s is blocked outside of a mount, and passes inside without a grant', async (tool, input) => {
    const held = await beforeTool(tool, input, {}, event)
    expect([held.heeded, JSON.parse(held.why).reason]).toEqual(['held', 'unsupported'])
    expect(held.why).toContain('`escrow` MCP server')
    expect((await beforeTool(tool, input, { isStaged: true }, event)).answer).toEqual({})
  })

  it.each([
    ['apply_patch', patch('mail/new.ts'), 'scope_violation'],
    ['apply_patch', patch('.codex/hooks.json'), 'protected_path'],
    ['apply_patch', patch('../x'), 'path_escape'],
    ['apply_patch', { command: 'no patch' }, 'unsupported'],
    ['apply_patch', {}, 'unsupported'],
    ['Bash', { command: ['ls'] }, 'unsupported'],
    ['Bash', 'ls', 'unsupported'],
  ])('%s %j is blocked with and without a mount: %s', async (tool, input, reason) => {
    for (const isStaged of [true, false]) {
      const answer = await setUpHooks({ isStaged }).codex(event, { ...call(tool, {}), tool_input: input })
      const output = fieldsOf(answer.hookSpecificOutput)
      const reasonText = String(output.permissionDecisionReason ?? fieldsOf(output.decision).message)
      expect([decisionOf(answer), JSON.parse(reasonText).reason]).toEqual(['held', reason])
    }
  })
})

describe('calls that Codex cannot ask about', () => {
  it('are blocked: unknown tools, and every call if policy asks about each one', async () => {
    for (const tool of ['mcp__other__write', 'mcp__escrow__other__write', 'exec_js', 'toString'])
      expect((await beforeTool(tool, {})).heeded).toBe('held')
    expect((await beforeTool('mcp__escrow__write_file', {})).answer).toEqual({})
    expect((await beforeTool('mcp__escrowed__write_file', {})).heeded).toBe('held')
    expect((await beforeTool('update_plan', {})).answer).toEqual({})
    const modal = { isStaged: true, policy: 'approval: {modal: all}\n' }
    expect((await beforeTool('Bash', { command: 'ls' }, modal)).heeded).toBe('held')
  })

  it.each(['', '{', 'null', '[]', '{}', '{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/"}'])(
    'include events that cannot be parsed: %s',
    async (text) => {
      const { project } = setUpHooks()
      const event = text.replace('"/"', JSON.stringify(project.root))
      await expect(answerCodex(event, { env: {} })).rejects.toThrow()
    },
  )
})

describe('the other events', () => {
  it('start with the protocol, deliver feedback once, and block the stop until it was delivered', async () => {
    const { codex, project } = setUpHooks({ intents: INTENTS })
    for (const event of ['SessionStart', 'SessionStart', 'UserPromptSubmit']) {
      if (event === 'UserPromptSubmit') {
        // It is sent again only after a change, not at each turn.
        expect(await codex(event, { prompt: 'x' })).toEqual({})
        project.write('.orchestration/active_intents.yaml', INTENTS.replace('name: ', 'name: Other '))
      }
      const answer = await codex(event, { prompt: 'x', source: 'startup' })
      expect(fieldsOf(answer.hookSpecificOutput)).toEqual({
        hookEventName: event,
        additionalContext: expect.stringContaining('# Working under an intent'),
      })
      decisionOf(answer)
    }
    const rejectChange = async (path: string) => {
      const workspace = await project.open()
      const session = await startSession(workspace, 'c1')
      session.fs.writeFileSync(path, 'x')
      await (await workspace.review('c1')).reject(path, `No ${path}.`)
      await workspace.close()
    }
    await rejectChange('src/a.ts')
    const after = await codex('PostToolUse', { ...call('Bash', { command: 'ls' }), tool_response: {} })
    expect(JSON.stringify(after)).toContain('No src/a.ts.')
    decisionOf(after)
    expect(await codex('PostToolUse', call('Bash', { command: 'ls' }))).toEqual({})
    await rejectChange('src/b.ts')
    expect(await codex('Stop', { stop_hook_active: true })).toEqual({})
    expect(await codex('Stop', { stop_hook_active: false })).toEqual({
      decision: 'block',
      reason: expect.stringContaining('No src/b.ts.'),
    })
    expect(await codex('PreCompact')).toEqual({})
  })
})
