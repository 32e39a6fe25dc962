import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  HookEngine,
  type HookEngineOptions,
  type HookPayload,
  modalHuman,
  type ToolHook,
} from '../../src/hooks/index.js'
import { openWorkspace } from '../../src/index.js'
import { metadataOf, reasonOf, recordsOf } from '../support/workspace.js'
import { hook, type Setup, setUp } from './setup.js'

describe('HookEngine', () => {
  it('runs hooks in registration order, each for its class of calls', async () => {
    const { engine, call } = setUp()
    const calls: string[] = []
    const listen = (name: string, more: Partial<ToolHook> = {}) =>
      hook(() => void calls.push(`pre ${name}`), { postExecute: () => void calls.push(`post ${name}`), ...more })
    engine.registerPreHook(listen('a'))
    engine.registerPreHook(listen('b', { classification: 'DESTRUCTIVE' }))
    engine.registerPreHook(listen('c', { classification: 'SAFE' }))
    engine.registerPostHook(listen('d'))
    await engine.runWithHooks(call('read_file', { path: 'src/a.ts' }), () => 'text')
    expect(calls).toEqual(['pre a', 'pre c', 'post d'])
  })

  it('denies when a hook throws, skips the later hooks, and still runs the post-hooks', async () => {
    const { engine, call, session } = setUp()
    const calls: unknown[] = []
    class Broken implements ToolHook {
      preExecute(): void {
        throw new TypeError('oops')
      }
      postExecute(): void {}
    }
    engine.registerPreHook(new Broken())
    engine.registerPreHook(hook(() => void calls.push('asked')))
    engine.registerPostHook(hook(() => undefined, { postExecute: () => Promise.reject(new Error('post broke')) }))
    engine.registerPostHook(hook(() => undefined, { postExecute: (_, { outcome }) => void calls.push(outcome) }))
    const ran = await engine.runWithHooks(call('list_files', { path: '.' }), () => calls.push('ran'))
    expect(ran).toMatchObject({ allow: false, error: { reason: 'policy_invalid', tool: 'list_files' } })
    expect(ran.message).toContain('Broken')
    expect(ran.failures).toMatchObject([{ code: 'policy_invalid', message: expect.stringContaining('post broke') }])
    expect(calls).toEqual(['denied'])
    await (await session()).flush()
  })

  it("records a hook's own refusal like policy's, also in the ledger", async () => {
    const { engine, call, session, workspace } = setUp()
    engine.registerPreHook(hook((tool) => ({ message: 'Not on a Friday.', code: 'no_friday', toolName: tool })))
    const ran = await engine.runWithHooks(call('read_file', { path: 'src/a.ts' }), () => 'text')
    expect(ran.error).toEqual({
      type: 'tool_error',
      tool: 'read_file',
      reason: 'access_denied',
      message: 'Not on a Friday. (no_friday)',
    })
    await (await session()).flush()
    expect((await recordsOf(workspace())).map(metadataOf)).toMatchObject([
      { type: 'denied', reason: 'access_denied', tool_name: 'read_file' },
      { type: 'tool_call', outcome: 'denied' },
    ])
  })

  it('does not let a hook change what was judged', async () => {
    const { engine, call, session } = setUp()
    await engine.runWithHooks(call('select_active_intent', { intent_id: 'INT-001' }), () => undefined)
    engine.registerPreHook(hook((_, { params }) => void Object.assign(params, { path: 'mail/m.ts' })))
    const input = call('write_to_file', { path: 'src/a.ts', content: 'x' })
    const { fs } = await session()
    const ran = await engine.runWithHooks(input, () => fs.writeFileSync(String(input.params.path), 'x'))
    expect(ran.allow).toBe(true)
    expect((await (await session()).changes()).changes).toMatchObject([{ path: 'src/a.ts' }])
  })

  it("throws the tool's own error after its post-hooks", async () => {
    const { engine, call } = setUp()
    const outcomes: unknown[] = []
    engine.registerPostHook(hook(() => undefined, { postExecute: (_, { outcome }) => void outcomes.push(outcome) }))
    const run = engine.runWithHooks(call('list_files'), () => Promise.reject(new Error('disk on fire')))
    await expect(run).rejects.toThrow('disk on fire')
    expect(outcomes).toEqual(['failed'])
  })

  it('treats a denial inside the tool as a refusal, even if no argument announced the path', async () => {
    const { engine, call, session } = setUp()
    await engine.runWithHooks(call('select_active_intent', { intent_id: 'INT-001' }), () => undefined)
    const { fs } = await session()
    const ran = await engine.runWithHooks(call('use_mcp_tool', {}), () => fs.writeFileSync('mail/m.ts', 'x'))
    expect(ran).toMatchObject({ allow: false, error: { reason: 'scope_violation', file: 'mail/m.ts' } })
  })

  it('keeps an intent for each task, and clears it when the task ends', async () => {
    const { engine, project } = setUp()
    await engine.setActiveIntent('task-1', 'INT-001', project.root)
    await engine.setActiveIntent('task-2', 'INT-002', project.root)
    expect([engine.getActiveIntentId('task-1'), engine.getActiveIntentId('task-2')]).toEqual(['INT-001', 'INT-002'])
    expect(await reasonOf(() => engine.setActiveIntent('task-1', 'INT-404'))).toBe('unknown_intent')
    expect(engine.getActiveIntentId('task-1')).toBe('INT-001')
    await engine.clearIntent('task-1')
    expect(engine.getActiveIntentId('task-1')).toBeUndefined()
    await engine.endTask('task-2')
    expect(engine.getActiveIntentId('task-2')).toBeUndefined()
    expect(await reasonOf(() => engine.setActiveIntent('task-9', 'INT-001'))).toBe('nothing_selected')
  })

  it('selects the intent that a host keeps for its task, and never invents one', async () => {
    const { engine, call } = setUp()
    const write = { ...call('write_to_file', { path: 'src/a.ts' }), activeIntentId: 'INT-404' }
    expect(await engine.runWithHooks(write, () => 'ran')).toMatchObject({ error: { reason: 'unknown_intent' } })
    const known = { ...write, activeIntentId: 'INT-001' }
    expect(await engine.runWithHooks(known, () => 'ran')).toMatchObject({ allow: true, value: 'ran' })
    expect(engine.getActiveIntentId('task-1')).toBe('INT-001')
  })

  it('closes a task that ends while it opens, and leaves nothing behind', async () => {
    const { engine, call, project, workspace } = setUp()
    const opening = engine.runPreHook(call('list_files'))
    await engine.endTask('task-1')
    await opening
    await engine.runPostHook(call('list_files'))
    expect(engine.getActiveIntentId('task-1')).toBeUndefined()
    await engine.setActiveIntent('task-1', 'INT-001', project.root)
    expect(engine.getActiveIntentId('task-1')).toBe('INT-001')
    expect((await workspace().sessions()).map(({ id, live }) => [id, live])).toEqual([['task-1', true]])
  })

  it('refuses a hidden path as Node refuses a missing one, in every style', async () => {
    const { engine, call, project } = setUp({}, 'access: {src/a.ts: hidden}\n')
    await engine.setActiveIntent('task-1', 'INT-001', project.root)
    const write = call('write_to_file', { path: 'src/a.ts' })
    const refused = await engine.runPreHook(write)
    expect(refused).toEqual({
      allow: false,
      feedback: [],
      message: "ENOENT: no such file or directory, open 'src/a.ts'",
    })
    expect(await engine.executePreHooks('write_to_file', write)).toMatchObject({ code: 'failed' })
  })

  it('refuses calls that it cannot open a session for', async () => {
    const { engine, call } = setUp({ open: () => Promise.reject(new Error('no disk')) })
    const ran = await engine.runWithHooks(call('read_file'), () => 'ran')
    expect(ran).toEqual({ allow: false, message: 'no disk', feedback: [], failures: [] })
    const odd = setUp()
    const uncloneable = odd.call('read_file', { path: () => 'src/a.ts' })
    expect(await odd.engine.runPreHook(uncloneable)).toMatchObject({ allow: false })
    const other = odd.call('read_file')
    await odd.engine.runWithHooks(other, () => 'ran')
    expect(await odd.engine.runPreHook({ ...other, cwd: '/' })).toMatchObject({ error: { reason: 'path_escape' } })
    expect(await odd.engine.runPreHook({ ...other, taskId: '../x' })).toMatchObject({
      error: { reason: 'path_escape' },
    })
  })

  it('is one instance per process once created', async () => {
    const { project } = setUp()
    await expect(async () => HookEngine.getInstance()).rejects.toMatchObject({ reason: 'no_orchestration' })
    const engine = HookEngine.getInstance({ open: openWorkspace })
    onTestFinished(() => engine.close())
    expect(HookEngine.getInstance()).toBe(engine)
    expect(() => HookEngine.getInstance({ open: openWorkspace })).toThrow(/already/)
    await engine.setActiveIntent('t', 'INT-001', project.root)
    await engine.close()
    await expect(async () => HookEngine.getInstance()).rejects.toMatchObject({ reason: 'no_orchestration' })
  })
})

describe('a call whose tool the host runs', () => {
  it('owns the writes until its post-hook', async () => {
    const { engine, call, session } = setUp()
    const outcomes: HookPayload['outcome'][] = []
    engine.registerPostHook(hook(() => undefined, { postExecute: (_, { outcome }) => void outcomes.push(outcome) }))
    expect(await engine.runPreHook(call('select_active_intent', { intent_id: 'INT-001' }))).toMatchObject({
      allow: true,
      toolResult: expect.stringContaining('<intent_context>'),
    })
    const write = call('write_to_file', { path: 'src/a.ts' })
    expect(await engine.runPreHook(write)).toEqual({ allow: true, feedback: [] })
    ;(await session()).fs.writeFileSync('src/a.ts', 'mine')
    expect(await engine.runPostHook(write)).toMatchObject({
      allow: true,
      contentHash: expect.stringMatching(/^sha256:/),
    })
    expect(await engine.runPostHook(write)).toEqual({ allow: true, feedback: [], failures: [] })
    const { changes } = await (await session()).changes()
    expect(changes).toMatchObject([{ path: 'src/a.ts', calls: [expect.any(String)] }])
    expect(outcomes).toEqual(['done', 'done'])
  })

  it('is ended by the next call if the host never ends it', async () => {
    const { engine, call, session, workspace } = setUp()
    await engine.runPreHook(call('list_files'))
    await engine.runPreHook(call('read_file', { path: 'src/a.ts' }))
    await engine.runPostHook(call('read_file'), new Error('it broke'))
    await (await session()).flush()
    const calls = (await recordsOf(workspace())).map(metadataOf).filter(({ type }) => type === 'tool_call')
    expect(calls).toMatchObject([
      { tool_name: 'list_files', outcome: 'ok' },
      { tool_name: 'read_file', outcome: 'error' },
    ])
  })

  it('ends every one of many concurrent calls', async () => {
    const { engine, call, session, workspace } = setUp()
    await Promise.all(['a', 'b', 'c', 'd'].map((path) => engine.runPreHook(call('list_files', { path }))))
    await engine.runPostHook(call('list_files'))
    await (await session()).flush()
    const calls = (await recordsOf(workspace())).map(metadataOf).filter(({ type }) => type === 'tool_call')
    expect(calls.length).toBe(4)
  })
})

describe('the circuit breaker', () => {
  const writeDenied = (s: Setup) => s.engine.runWithHooks(s.call('write_to_file', { path: 'src/a.ts' }), () => 'ran')
  const read = (s: Setup) => s.engine.runWithHooks(s.call('read_file', { path: 'src/a.ts' }), () => 'text')

  it('stops every call after three consecutive refusals, with or without reads between, until a person answers', async () => {
    const s = setUp()
    for (const _ of [1, 2, 3]) {
      expect(await writeDenied(s)).toMatchObject({ error: { reason: 'missing_intent_id' } })
      if (_ < 3) expect(await read(s)).toMatchObject({ allow: true })
    }
    for (const _ of [1, 2]) expect(await read(s)).toMatchObject({ error: { reason: 'needs_approval' } })
    expect(s.engine.turns.stateOf('task-1')).toBe('BLOCKED')
    await s.engine.startTurn('task-1')
    expect(await read(s)).toMatchObject({ allow: true, value: 'text' })
  })

  it('asks the person, and continues after an approval', async () => {
    const questions: string[] = []
    const answers = [{ approved: false, words: 'Wait for me.' }, { approved: true }]
    const human: HookEngineOptions['human'] = async ({ kind, message }) => {
      questions.push(`${kind}: ${message}`)
      return answers.shift()
    }
    const s = setUp({ human }, 'gate: {breaker: 1}\n')
    await writeDenied(s)
    const stopped = await read(s)
    expect(stopped).toMatchObject({ allow: false, error: { reason: 'user_rejected' } })
    expect(stopped.message).toContain('Wait for me.')
    expect(await read(s)).toMatchObject({ allow: true })
    expect(questions).toHaveLength(2)
    expect(questions[0]).toMatch(/^breaker: 1 calls in a row were refused/)
  })

  it('resets with each completed destructive call', async () => {
    const s = setUp()
    await writeDenied(s)
    await writeDenied(s)
    await s.engine.setActiveIntent('task-1', 'INT-001')
    expect(await writeDenied(s)).toMatchObject({ value: 'ran' })
    await s.engine.setActiveIntent('task-1', null)
    for (const _ of [1, 2, 3]) expect(await writeDenied(s)).toMatchObject({ error: { reason: 'missing_intent_id' } })
    expect(await writeDenied(s)).toMatchObject({ error: { reason: 'needs_approval' } })
  })
})

describe('the turn state', () => {
  it('runs destructive tools only in the two middle states, in every short conversation', async () => {
    const s = setUp({}, 'gate: {breaker: 100}\n')
    const { engine, call, project } = s
    await engine.setActiveIntent('task-1', null, project.root)
    const steps = {
      turn: () => engine.startTurn('task-1'),
      select: () => engine.runWithHooks(call('select_active_intent', { intent_id: 'INT-001' }), () => undefined),
      clear: () => engine.runWithHooks(call('select_active_intent', { intent_id: null }), () => undefined),
      wrong: () => engine.runWithHooks(call('write_to_file', { path: 'mail/m.ts' }), () => expect.unreachable()),
      command: () =>
        engine.runWithHooks(call('execute_command', { command: 'ls' }), () => {
          expect(engine.turns.stateOf('task-1')).toBe('ACTION_ALLOWED')
          expect(engine.getActiveIntentId('task-1')).toBe('INT-001')
        }),
    }
    const names = Object.keys(steps) as (keyof typeof steps)[]
    let ran = 0
    for (const first of ['select', 'clear'] as const)
      for (const second of names)
        for (const third of names) {
          let active = false
          for (const name of [first, second, third]) {
            const result = await steps[name]()
            if (name === 'select') active = true
            if (name === 'turn' || name === 'clear') active = false
            if (name === 'command') {
              expect(result).toMatchObject({ allow: active })
              if (active) ran++
            }
            expect(engine.turns.canExecuteWrite('task-1')).toBe(active && name !== 'wrong')
          }
        }
    expect(ran).toBeGreaterThan(4)
  })
})

describe('the person in the loop', () => {
  const question = { kind: 'call', taskId: 'task-1', intentId: 'INT-001', tool: 'write_to_file', targets: ['src/a.ts'] }

  it('approval.modal: all asks about each destructive call; an approval is not a verdict', async () => {
    const questions: unknown[] = []
    const human: HookEngineOptions['human'] = async (each) => {
      questions.push(each)
      return { approved: true }
    }
    const { engine, call, project, session } = setUp({ human }, 'approval: {modal: all}\n')
    await engine.setActiveIntent('task-1', 'INT-001', project.root)
    const { fs } = await session()
    const write = call('write_to_file', { path: 'src/a.ts', content: 'mine\n' })
    expect(await engine.runWithHooks(write, () => fs.writeFileSync('src/a.ts', 'mine\n'))).toMatchObject({
      allow: true,
    })
    await engine.runWithHooks(call('read_file', { path: 'src/a.ts' }), () => 'text')
    expect(questions).toEqual([{ ...question, message: 'May write_to_file run?', detail: 'mine\n' }])
    expect((await (await session()).changes()).changes).toMatchObject([{ path: 'src/a.ts', state: 'pending' }])
    expect(readFileSync(`${project.root}/src/a.ts`, 'utf8')).toBe('a one\na two\n')
  })

  it('a name that the agent chose adds no line to the modal, and hidden characters of its text are named', async () => {
    const details: string[] = []
    const window = {
      async showWarningMessage(_message: string, { detail = '' }: { detail?: string }) {
        details.push(detail)
        return 'Reject'
      },
    }
    const { engine, call, project } = setUp({ human: modalHuman(window) }, 'approval: {modal: all}\n')
    await engine.setActiveIntent('task-1', 'INT-001', project.root)
    const content = 'x\u202e\r\n\ty\u200b'
    await engine.runPreHook(call('write_to_file', { path: 'src/a\nTool: read_file\u202e.ts', content }))
    expect(details[0]?.split('\n').slice(1)).toEqual([
      'Tool: write_to_file',
      'Target: src/a^JTool: read_file<U+202E>.ts',
      '',
      'x<U+202E>^M',
      '\ty<U+200B>',
    ])
  })

  it('a rejection is a tool_error for the model, and nobody is asked about calls that policy refuses', async () => {
    let questionCount = 0
    const human: HookEngineOptions['human'] = async () => {
      questionCount++
      return { approved: false, words: 'Use the other file.' }
    }
    const { engine, call, project } = setUp({ human }, 'approval: {modal: all}\n')
    await engine.setActiveIntent('task-1', 'INT-001', project.root)
    const write = (path: string) => engine.runWithHooks(call('write_to_file', { path }), () => 'ran')
    expect(await write('src/a.ts')).toMatchObject({
      allow: false,
      error: {
        type: 'tool_error',
        tool: 'write_to_file',
        reason: 'user_rejected',
        file: 'src/a.ts',
        message: 'Use the other file.',
      },
    })
    expect(await write('mail/m.ts')).toMatchObject({ error: { reason: 'scope_violation' } })
    expect(questionCount).toBe(1)
  })

  it.each([
    ['nobody can be asked', undefined, 'needs_approval'],
    ['the modal was closed', async () => undefined, 'user_rejected'],
    ['the question fails', () => Promise.reject(new Error('no window')), 'policy_invalid'],
  ])('refuses the call if %s', async (_why, human, reason) => {
    const { engine, call, project } = setUp(human ? { human } : {}, 'approval: {modal: all}\n')
    await engine.setActiveIntent('task-1', 'INT-001', project.root)
    const ran = await engine.runWithHooks(call('execute_command', { command: 'ls' }), () => 'ran')
    expect(ran).toMatchObject({ allow: false, error: { reason } })
  })

  it('an `ask` rule asks the same person before the first write, and an approval covers one call', async () => {
    const questions: unknown[] = []
    const human: HookEngineOptions['human'] = async (each) => {
      questions.push(each)
      return { approved: true, by: { name: 'Ann' } }
    }
    const { engine, call, project, session } = setUp({ human }, 'access: {src/a.ts: ask}\n')
    await engine.setActiveIntent('task-1', 'INT-001', project.root)
    const { fs } = await session()
    const write = call('write_to_file', { path: 'src/a.ts', content: 'mine' })
    for (const _ of [1, 2])
      expect(await engine.runWithHooks(write, () => fs.writeFileSync('src/a.ts', 'mine'))).toMatchObject({
        allow: true,
      })
    expect(questions).toHaveLength(2)
    expect(questions[0]).toMatchObject({ ...question, kind: 'access', detail: 'mine' })
  })
})
