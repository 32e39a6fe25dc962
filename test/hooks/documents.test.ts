import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import * as hooks from '../../src/hooks/index.js'
import { metadataOf, recordsOf } from '../support/workspace.js'
import { type Setup, setUp } from './setup.js'

/**
 * The promises in the documents of the hook middleware, row by row: document and line, promise, proof.
 * S0 to S4 are the documents in their original order.
 */
interface Row {
  readonly source: string
  readonly promise: string
  proof(s: Setup): Promise<void>
  readonly policy?: string
  readonly human?: hooks.Human
}

const write = (s: Setup, path = 'src/a.ts', more: Record<string, unknown> = {}) =>
  s.call('write_to_file', { path, content: 'x\n', ...more })
const select = (s: Setup, id: string | null = 'INT-001') => s.engine.setActiveIntent('task-1', id, s.project.root)
/** A write as a host makes it between the two hooks. */
async function stageWrite(s: Setup, path = 'src/a.ts') {
  const before = await s.engine.runPreHook(write(s, path))
  expect(before.allow).toBe(true)
  ;(await s.session()).fs.writeFileSync(path, 'x\n')
  return s.engine.runPostHook(write(s, path))
}

const ROWS: Row[] = [
  {
    source: 'S0:140 S1:221 S4:30',
    promise: 'a gate checks every mutating tool, and passes reads',
    async proof(s) {
      for (const tool of hooks.KNOWN_TOOLS) {
        const { allow } = await s.engine.runWithHooks(s.call(tool, { path: 'src/a.ts' }), () => 'ran')
        if (hooks.classifyTool(tool) === 'DESTRUCTIVE') expect([tool, allow]).toEqual([tool, false])
        await s.engine.startTurn('task-1')
      }
      expect(await s.engine.runWithHooks(s.call('read_file', { path: 'src/a.ts' }), () => 'ran')).toMatchObject({
        allow: true,
      })
    },
  },
  {
    source: 'S0:142',
    promise: "runPreHook: the document's words for a missing intent",
    async proof(s) {
      const { message } = await s.engine.runPreHook(write(s))
      expect(message).toBe('Error: You must call select_active_intent before writing files.')
    },
  },
  {
    source: 'S1:224',
    promise: "the base tool's pre-hook pushes a JSON tool_error with the document's words",
    async proof(s) {
      const pushed: string[] = []
      expect(await hooks.enforceToolSecurityPreHook(s.engine, write(s), (text) => pushed.push(text))).toBe(false)
      expect(pushed.map((text) => JSON.parse(text))).toMatchObject([
        {
          type: 'tool_error',
          tool: 'write_to_file',
          reason: 'missing_intent_id',
          message:
            'You must cite a valid active Intent ID. Call select_active_intent first before using destructive tools.',
        },
      ])
    },
  },
  {
    source: 'S3:97 S3:112',
    promise: 'preExecutionHook blocks every tool without an intent, with its own message, if policy says so',
    policy: 'gate: {tools: all}\n',
    async proof({ project, engine }) {
      const blocked = {
        kind: 'blocked',
        toolResult:
          'Error: You must first declare an active intent using select_active_intent(intent_id) before performing any other actions.',
      }
      const ask = (toolName: string, toolArgs = {}) =>
        hooks.preExecutionHook({ cwd: project.root, toolName, toolArgs }, engine)
      expect(await ask('read_file', { path: 'src/a.ts' })).toEqual(blocked)
      expect(await ask('execute_command', { command: 'ls' })).toEqual(blocked)
      const handled = await ask('select_active_intent', { intent_id: 'INT-001' })
      expect(handled).toMatchObject({ kind: 'handled', toolResult: expect.stringContaining('<intent id="INT-001"') })
      expect(await ask('read_file', { path: 'src/a.ts' })).toEqual({ kind: 'continue' })
    },
  },
  {
    source: 'S3:97',
    promise: 'preExecutionHook blocks everything if no engine was created',
    async proof({ project }) {
      const result = await hooks.preExecutionHook({ cwd: project.root, toolName: 'read_file', toolArgs: {} })
      expect(result.kind).toBe('blocked')
    },
  },
  {
    source: 'S4:34',
    promise: "runWithHooks: the document's words for a missing intent, and the tool is not run",
    async proof(s) {
      let ran = false
      const result = await s.engine.runWithHooks(write(s), () => {
        ran = true
      })
      expect([result.allow, result.message, ran]).toEqual([
        false,
        'No active intent selected. Call select_active_intent first.',
        false,
      ])
    },
  },
  {
    source: 'S0:146 S1:328',
    promise: 'Scope Violation, with the request for more scope',
    async proof(s) {
      await select(s)
      const { message, error } = await s.engine.runPreHook(write(s, 'mail/m.ts'))
      expect(message).toBe('Scope Violation: INT-001 is not authorized to edit mail/m.ts. Request scope expansion.')
      expect(error).toMatchObject({ reason: 'scope_violation', intent_id: 'INT-001', file: 'mail/m.ts' })
    },
  },
  {
    source: 'S1:477 S2:918 S2:938',
    promise: 'Stale File: a file that changed since the model read it is not overwritten until it is read again',
    async proof(s) {
      await select(s)
      const { fs } = await s.session()
      const read = () =>
        s.engine.runWithHooks(s.call('read_file', { path: 'src/a.ts' }), () => fs.readFileSync('src/a.ts'))
      await read()
      s.project.write('src/a.ts', 'another agent\n')
      expect(await s.engine.runPreHook(write(s))).toMatchObject({
        message: 'Stale File: src/a.ts changed on disk since you read it. Read it again, then retry.',
        error: { reason: 'stale_file' },
      })
      await read()
      await stageWrite(s)
    },
  },
  {
    source: 'S1:337',
    promise: 'four reasons of a JSON tool_error, the same record in every style',
    async proof(s) {
      s.project.write('.intentignore', 'INT-002\n')
      const missing = (await s.engine.runPreHook(write(s))).error
      const details = (await s.engine.executePreHooks('write_to_file', write(s)))?.details
      const inside = (await s.engine.runWithHooks(write(s), () => 'ran')).error
      expect(missing).toMatchObject({ type: 'tool_error', reason: 'missing_intent_id' })
      expect([details, inside]).toEqual([missing, missing])
      await s.engine.startTurn('task-1')
      const ignored = s.call('select_active_intent', { intent_id: 'INT-002' })
      expect((await s.engine.runPreHook(ignored)).error?.reason).toBe('intent_ignored')
      await select(s)
      expect((await s.engine.runPreHook(write(s, 'mail/m.ts'))).error?.reason).toBe('scope_violation')
      await stageWrite(s)
      const review = await s.workspace().review('task-1')
      await review.reject('src/a.ts', 'Keep the old text.')
      expect((await s.engine.runPreHook(write(s))).error?.reason).toBe('user_rejected')
    },
  },
  {
    source: 'S2:502 S2:525 S2:597 S4:93',
    promise: 'registerPreHook, registerPostHook, executePreHooks, executePostHooks; HookError',
    async proof(s) {
      const error = await s.engine.executePreHooks('write_to_file', write(s))
      expect(error).toMatchObject({
        code: 'missing_intent_id',
        toolName: 'write_to_file',
        details: { type: 'tool_error' },
      })
      const calls: string[] = []
      const listener: hooks.ToolHook = {
        classification: 'SAFE',
        preExecute: (tool) => void calls.push(`pre ${tool}`),
        postExecute: (tool) => ({ message: 'late', code: 'late', toolName: tool }),
      }
      s.engine.registerPreHook(listener)
      s.engine.registerPostHook(listener)
      expect(await s.engine.executePreHooks('list_files', s.call(''))).toBeUndefined()
      expect(await s.engine.executePostHooks('list_files', s.call(''))).toMatchObject({ code: 'late' })
      expect(calls).toEqual(['pre list_files'])
    },
  },
  {
    source: 'S0:236 S0:427 S0:522',
    promise: 'setActiveIntent, getActiveIntentId, runPreHook, runPostHook, clearIntent, an intent for each task',
    async proof(s) {
      await select(s)
      expect(s.engine.getActiveIntentId('task-1')).toBe('INT-001')
      expect(s.engine.getActiveIntentId('task-2')).toBeUndefined()
      await stageWrite(s)
      await s.engine.clearIntent('task-1')
      expect((await s.engine.runPreHook(write(s))).allow).toBe(false)
    },
  },
  {
    source: 'S4:132 S4:277',
    promise: 'hashMutation: a digest of the canonical mutation, whatever the order of its arguments and its line ends',
    async proof(s) {
      await select(s)
      const { contentHash } = await s.engine.runWithHooks(write(s), () => 'ran')
      const text = '{"params":{"content":"x\\n","path":"src/a.ts"},"tool":"write_to_file"}'
      expect(contentHash).toBe(`sha256:${createHash('sha256').update(text).digest('hex')}`)
      expect(hooks.mutationHash('write_to_file', { content: 'x\r\n', path: 'src/a.ts' })).toBe(contentHash)
      expect(hooks.mutationHash('write_to_file', { content: 'y\n', path: 'src/a.ts' })).not.toBe(contentHash)
    },
  },
  {
    source: 'S4:93',
    promise: 'syncActiveIntent: the intent of the task is in progress in the registry; an unknown one is refused',
    async proof(s) {
      const cited = { ...write(s, 'mail/m.ts'), activeIntentId: 'INT-002' }
      expect(await s.engine.runWithHooks(cited, () => 'ran')).toMatchObject({ allow: true })
      expect(s.project.text('.orchestration/active_intents.yaml')).toMatch(
        /INT-002\n {4}name: Mail\n {4}status: IN_PROGRESS/,
      )
      const before = s.project.text('.orchestration/active_intents.yaml')
      const invented = await s.engine.runWithHooks({ ...cited, activeIntentId: 'INT-777' }, () => 'ran')
      expect(invented.error?.reason).toBe('unknown_intent')
      expect(s.project.text('.orchestration/active_intents.yaml')).toBe(before)
    },
  },
  {
    source: 'S2:539 S2:739',
    promise: 'the turn: waiting, context loaded, action allowed, blocked',
    async proof(s) {
      const state = () => s.engine.turns.stateOf('task-1')
      await s.engine.startTurn('task-1')
      expect(state()).toBe('AWAITING_INTENT_SELECTION')
      await select(s)
      expect(state()).toBe('CONTEXT_LOADED')
      await s.engine.runWithHooks(write(s), () => expect(state()).toBe('ACTION_ALLOWED'))
      expect(state()).toBe('CONTEXT_LOADED')
      await s.engine.runWithHooks(write(s, 'mail/m.ts'), () => 'ran')
      expect([state(), s.engine.turns.canExecuteWrite('task-1')]).toEqual(['BLOCKED', false])
    },
  },
  {
    source: 'S1:250 S2:716 S4:273',
    promise: 'every tool is SAFE or DESTRUCTIVE; unknown and MCP tools are destructive',
    async proof() {
      expect(['read_file', 'codebase_search', 'list_files'].map(hooks.classifyTool)).toEqual(['SAFE', 'SAFE', 'SAFE'])
      const others = ['write_to_file', 'execute_command', 'edit_file', 'use_mcp_tool', 'mcp--a--b', 'anything']
      expect(new Set(others.map(hooks.classifyTool))).toEqual(new Set(['DESTRUCTIVE']))
    },
  },
  {
    source: 'S2:424',
    promise: 'MCP calls go through the hooks',
    async proof(s) {
      const mcp = { server_name: 'files', tool_name: 'write', arguments: { path: 'src/a.ts' } }
      const run = () => s.engine.runWithHooks(s.call('use_mcp_tool', mcp), () => 'ran')
      expect(await run()).toMatchObject({ error: { reason: 'missing_intent_id', tool: 'use_mcp_tool' } })
      await select(s)
      expect(await run()).toMatchObject({ value: 'ran' })
    },
  },
  {
    source: 'S1:259 S2:557',
    promise: 'a modal with Approve and Reject shows intent, tool and target',
    policy: 'approval: {modal: all}\n',
    human: hooks.modalHuman({
      async showWarningMessage(message, { modal, detail = '' }, ...items) {
        expect([message, modal, items]).toEqual(['May write_to_file run?', true, ['Approve', 'Reject']])
        expect(detail.split('\n')).toEqual(
          expect.arrayContaining(['Intent: INT-001', 'Tool: write_to_file', expect.stringMatching(/^Target: src/)]),
        )
        return detail.includes('src/a.ts') ? 'Approve' : 'Reject'
      },
    }),
    async proof(s) {
      await select(s)
      expect(await s.engine.runWithHooks(write(s), () => 'ran')).toMatchObject({ value: 'ran' })
      const refused = await s.engine.runWithHooks(write(s, 'src/b.ts'), () => 'ran')
      expect(refused.error).toMatchObject({ type: 'tool_error', reason: 'user_rejected', file: 'src/b.ts' })
    },
  },
  {
    source: 'S2:252',
    promise: "a host's approval never counts as a verdict",
    human: async () => ({ approved: true, by: { name: 'auto' } }),
    policy: 'approval: {modal: all}\n',
    async proof(s) {
      await select(s)
      await stageWrite(s)
      const review = await s.workspace().review('task-1')
      expect((await review.changes()).changes).toMatchObject([{ path: 'src/a.ts', state: 'pending' }])
      expect((await review.commit()).committed).toEqual([])
      expect(s.project.text('src/a.ts')).toBe('a one\na two\n')
    },
  },
  {
    source: 'S0:236 S1:153 S3:119 S3:139 S4:355',
    promise: 'select_active_intent: its schema, its context as XML, null clears',
    async proof(s) {
      const [tool] = hooks.openAiTools()
      expect(tool?.function).toMatchObject({
        name: 'select_active_intent',
        strict: true,
        parameters: {
          type: 'object',
          properties: { intent_id: { type: ['string', 'null'] } },
          required: ['intent_id'],
          additionalProperties: false,
        },
      })
      const run = (id: string | null) =>
        s.engine.runWithHooks(s.call('select_active_intent', { intent_id: id }), () => expect.unreachable())
      const { toolResult = '' } = await run('INT-001')
      expect(toolResult).toMatch(/^Active intent set to INT-001\.\n\n<intent_context>\n/)
      expect(toolResult).toContain('<constraint>Integers only</constraint>')
      await run(null)
      expect(s.engine.getActiveIntentId('task-1')).toBeUndefined()
      expect(await s.engine.runPreHook(s.call('select_active_intent', {}))).toMatchObject({
        allow: false,
        error: { reason: 'unknown_intent' },
      })
    },
  },
  {
    source: 'S0:264 S1:192 S1:198 S2:465 S3:185',
    promise: 'a section of the prompt for every turn, with the active intent or the ones to choose from',
    async proof(s) {
      await select(s, null)
      const session = await s.session()
      expect(await hooks.intentPrompt(session)).toContain('- INT-002: Mail')
      expect(await hooks.intentPrompt(session)).not.toContain('INT-003')
      await select(s)
      const section = await hooks.intentPrompt(session)
      expect(section.startsWith(hooks.INTENT_PROTOCOL)).toBe(true)
      expect(section).toContain('<path>docs/prices.md</path>')
    },
  },
  {
    source: 'S1:369',
    promise: 'a write that cites an intent is for that intent',
    async proof(s) {
      await select(s)
      const cited = await s.engine.runPreHook(write(s, 'src/a.ts', { intent_id: 'INT-002' }))
      expect(cited.error).toMatchObject({ reason: 'intent_not_active', file: 'src/a.ts' })
      expect(await s.engine.runPreHook(write(s, 'src/a.ts', { intent_id: 'INT-001' }))).toMatchObject({ allow: true })
    },
  },
  {
    source: 'S2:607',
    promise: 'consecutive refusals trip the circuit breaker, and a person is asked',
    policy: 'gate: {breaker: 2}\n',
    async proof(s) {
      for (const _ of [1, 2]) await s.engine.runPreHook(write(s))
      expect(await s.engine.runPreHook(s.call('list_files'))).toMatchObject({ error: { reason: 'needs_approval' } })
    },
  },
  {
    source: 'S1:349 S1:716',
    promise: 'a model corrects itself by the text of a refusal',
    async proof(s) {
      const { error } = await s.engine.runPreHook(write(s))
      const [, id] = /Intents: ([\w-]+)/.exec(error?.hint ?? '') ?? []
      await s.engine.runPreHook(s.call('select_active_intent', { intent_id: id }))
      await stageWrite(s)
    },
  },
  {
    source: 'S4:30 S0:199',
    promise: 'a record of every tool call, refused ones too',
    async proof(s) {
      await s.engine.runWithHooks(write(s), () => 'ran')
      await select(s)
      await stageWrite(s)
      const records = (await recordsOf(s.workspace())).map((record) => [
        metadataOf(record).type,
        metadataOf(record).outcome,
      ])
      expect(records).toEqual([
        ['denied', undefined],
        ['tool_call', 'denied'],
        ['intent_selected', undefined],
        ['tool_call', 'ok'],
      ])
    },
  },
]

describe('the documents of the middleware', () => {
  it.each(ROWS)('$source $promise', async ({ proof, policy, human }) => {
    await proof(setUp(human ? { human } : {}, policy))
  })

  it('the named hooks exist, each with both methods', () => {
    const names = [
      'IntentGate',
      'ScopeEnforcement',
      'OptimisticLock',
      'HumanInTheLoop',
      'TraceLedger',
      'ContextLoading',
    ]
    for (const name of [...names, 'ActiveIntentSync', 'MutationHash']) {
      const found = Object.entries(hooks).find(([key]) => key === `${name}Hook`)?.[1]
      expect(typeof found, name).toBe('function')
    }
    const { pre, post } = hooks.standardHooks()
    for (const hook of [...pre, ...post])
      expect(hook).toMatchObject({ preExecute: expect.any(Function), postExecute: expect.any(Function) })
  })
})

describe('the tools that escrowfs adds', () => {
  it('have schemas that every model API accepts', () => {
    for (const { function: tool } of hooks.openAiTools()) {
      expect(JSON.stringify(tool.parameters)).not.toContain('anyOf')
      expect(tool.parameters.required).toEqual(Object.keys(tool.parameters.properties as object))
    }
    expect(hooks.anthropicTools().map(({ name }) => name)).toEqual(Object.keys(hooks.ADDED_TOOLS))
    expect(Object.keys(hooks.ADDED_TOOLS).filter((name) => !hooks.KNOWN_TOOLS.includes(name))).toEqual([])
  })

  it('work on the session: list, show, revert, travel, ask', async () => {
    const s = setUp()
    const run = async (tool: string, params: Record<string, unknown> = {}) =>
      (await s.engine.runWithHooks(s.call(tool, params), () => expect.unreachable())).toolResult
    await select(s, null)
    expect(await run('list_intents')).toBe(
      'INT-001 (IN_PROGRESS): Prices\n  src/**, docs/prices.md\nINT-002 (PENDING): Mail\n  mail/**',
    )
    expect((await s.engine.runPreHook(s.call('revert_staged_changes'))).error?.reason).toBe('missing_intent_id')
    await select(s)
    expect(await run('show_staged_changes')).toContain('Nothing is staged.')
    await stageWrite(s)
    expect(await run('run_checks')).toBe('No check applies to what is staged.')
    const diff = (await run('show_staged_changes')) ?? ''
    expect(diff).toContain('src/a.ts (modify, pending)\n@@ -1,2 +1,1 @@')
    const [, snapshot = ''] = /(s\d+) before write_to_file/.exec(diff) ?? []
    expect(await run('travel_to_snapshot', { snapshot_id: snapshot })).toContain(`as it was at ${snapshot}`)
    expect(await run('show_staged_changes')).toContain('Nothing is staged.')
    await stageWrite(s)
    expect(await run('revert_staged_changes', { paths: ['src/a.ts'] })).toBe('Reverted: src/a.ts.')
    expect(await run('show_staged_changes', { paths: null })).toContain('Nothing is staged.')
    expect(await run('request_scope_expansion', { paths: ['mail/**'], why: 'To tell people.' })).toContain('mail/**')
    expect((await s.engine.runPreHook(s.call('travel_to_snapshot', {}))).error?.reason).toBe('unsupported')
  })
})
