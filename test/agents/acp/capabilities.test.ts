import { describe, expect, it } from 'vitest'
import { forwardInitialize, modelOf, rewriteInitializeAnswer } from '../../../src/agents/acp/capabilities.js'

/** Messages have the shapes of `@agentclientprotocol/sdk` 2.4.0, for both versions of the protocol. */

const META = { 'terminal-auth': true, other: 1 }

describe('the capabilities of the editor', () => {
  it('in version 1 have our files and terminals, and no login in a terminal', () => {
    const clientCapabilities = { fs: { readTextFile: true }, auth: { terminal: true, x: 1 }, _meta: META, y: 2 }
    expect(forwardInitialize({ protocolVersion: 1, clientCapabilities, clientInfo: { name: 'zed' } })).toEqual({
      hasBuffers: true,
      version: 1,
      params: {
        protocolVersion: 1,
        clientInfo: { name: 'zed' },
        clientCapabilities: {
          fs: { readTextFile: true, writeTextFile: true },
          terminal: true,
          auth: { x: 1 },
          _meta: { other: 1 },
          y: 2,
        },
      },
    })
  })

  it('in version 2 have no login in a terminal', () => {
    const capabilities = { auth: { terminal: { _meta: {} }, x: 1 }, elicitation: { url: {} }, _meta: META }
    const { params } = forwardInitialize({ protocolVersion: 2, info: { name: 'zed', version: '1' }, capabilities })
    expect(params).toMatchObject({ protocolVersion: 2, info: { name: 'zed', version: '1' } })
    expect(Reflect.get(Object(params), 'capabilities')).toEqual({
      auth: { x: 1 },
      elicitation: { url: {} },
      _meta: { other: 1 },
    })
  })

  it.each([undefined, null, 7, 'all', []])('that are %j become ours', (capabilities) => {
    const { params } = forwardInitialize({ protocolVersion: 9, clientCapabilities: capabilities, capabilities })
    expect(params).toEqual({
      protocolVersion: 2,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
    })
  })
})

describe("the agent's response", () => {
  const rewrite = (result: object) => rewriteInitializeAnswer({ result }, 2, () => undefined)

  it('offers no login that the editor starts in a terminal', () => {
    const terminal = { type: 'terminal', id: 'a', methodId: 'a', name: 'A', args: ['--login'] }
    const command = { command: '/bin/sh', args: ['-c', 'true'] }
    const agent = { id: 'b', name: 'B', _meta: { 'terminal-auth': command, gateway: { protocol: 'x' } } }
    const plain = { type: 'agent', methodId: 'c', name: 'C' }
    expect(rewrite({ protocolVersion: 1, authMethods: [terminal, agent, plain] })).toEqual({
      result: {
        protocolVersion: 1,
        authMethods: [{ id: 'b', name: 'B', _meta: { gateway: { protocol: 'x' } } }, plain],
      },
    })
    for (const authMethods of [null, 'x', { 0: terminal }, [7, null]])
      expect(JSON.stringify(rewrite({ protocolVersion: 2, authMethods }))).not.toContain('--login')
  })

  it('promises no directories outside of the workspace', () => {
    const agentCapabilities = { sessionCapabilities: { additionalDirectories: {}, list: {} }, loadSession: true }
    const capabilities = { session: { additionalDirectories: {}, prompt: {} }, auth: {} }
    expect(rewrite({ protocolVersion: 1, agentCapabilities })).toEqual({
      result: { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { list: {} }, loadSession: true } },
    })
    expect(rewrite({ protocolVersion: 2, capabilities })).toEqual({
      result: { protocolVersion: 2, capabilities: { session: { prompt: {} }, auth: {} } },
    })
  })

  it('names the agent in either version', () => {
    const names: unknown[] = []
    for (const name of ['agentInfo', 'info'])
      rewriteInitializeAnswer({ result: { protocolVersion: 1, [name]: { name: 'codex', version: '3' } } }, 2, (found) =>
        names.push(found.agent),
      )
    expect(names).toEqual([
      { tool: 'codex', toolVersion: '3' },
      { tool: 'codex', toolVersion: '3' },
    ])
  })

  it.each([0, 3, 1.5, '1'])('in version %j of the protocol is refused', (protocolVersion) => {
    expect(() => rewrite({ protocolVersion })).toThrow()
  })
})

describe('the model', () => {
  const option = (id: string, category: string | null, currentValue: unknown) => ({ id, category, currentValue })

  it.each([
    ['of a session', 'session/new', {}, { models: { currentModelId: 'm' } }, 'm'],
    ['that the editor chose', 'session/set_model', { modelId: 'm' }, {}, 'm'],
    [
      'among the options of a session',
      'session/new',
      {},
      { configOptions: [option('mode', 'mode', 'plan'), option('model', 'model', 'm')] },
      'm',
    ],
    [
      'among the options after a choice',
      'session/set_config_option',
      { configId: 'model', value: 'm' },
      { configOptions: [option('x', 'model', 'm')] },
      'm',
    ],
    [
      'among options and in the older form',
      'session/new',
      {},
      { configOptions: [option('model', 'model', 'm')], models: { currentModelId: 'm[low]' } },
      'm',
    ],
    [
      'of a reply',
      'session/prompt',
      {},
      { _meta: { '_claude/model': 'm' }, configOptions: [option('model', 'model', 'alias')] },
      'm',
    ],
    ['that is the default', 'session/new', {}, { configOptions: [option('model', 'model', 'default')] }, undefined],
    ['that is not a text', 'session/new', {}, { configOptions: [option('model', 'model', true)] }, undefined],
    ['of a session without one', 'session/new', {}, { configOptions: null }, undefined],
  ] as const)('%s', (_, method, params, result, model) => {
    expect(modelOf(method, params, { result })).toBe(model)
    expect(modelOf(method, params, { error: { code: 1, message: 'no' } })).toBeUndefined()
  })
})
