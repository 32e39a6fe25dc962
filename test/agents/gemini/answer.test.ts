import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { answerGemini } from '../../../src/agents/gemini/index.js'
import { INTENTS, startSession } from '../../support/workspace.js'
import { call, setUpHooks } from '../hook/setup.js'

/** In Gemini's dialect alone: `decision` and `reason` at the top level. */
const reasonIn = (answer: Readonly<Record<string, unknown>>): unknown => {
  expect(Object.keys(answer).sort()).toEqual(['decision', 'reason'])
  expect(answer.decision).toBe('deny')
  return JSON.parse(String(answer.reason)).reason
}

describe('BeforeTool', () => {
  it('judges a search that points into a workspace from outside by that workspace', async () => {
    const { gemini, project } = setUpHooks()
    project.write('.env', 'SECRET=1\n')
    const at = { cwd: tmpdir() }
    for (const dir of [project.root, `${project.root}/src/..`]) {
      const answer = await gemini('BeforeTool', { ...call('grep_search', { pattern: 'x', dir_path: dir }), ...at })
      expect(reasonIn(answer)).toBe('access_denied')
    }
    expect(await gemini('BeforeTool', { ...call('grep_search', { pattern: 'x', dir_path: '/usr' }), ...at })).toEqual(
      {},
    )
  })

  it.each([
    ['write_file', { file_path: 'src/a.ts', content: 'x' }],
    ['replace', { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' }],
    ['run_shell_command', { command: 'ls' }],
  ])('%s is blocked outside of a mount, and passes inside without a grant', async (tool, input) => {
    expect(reasonIn(await setUpHooks().gemini('BeforeTool', call(tool, input)))).toBe('unsupported')
    expect(await setUpHooks({ isStaged: true }).gemini('BeforeTool', call(tool, input))).toEqual({})
  })

  it.each([
    ['write_file', { file_path: 'README.md', content: '' }, 'scope_violation'],
    ['write_file', { file_path: '.gemini/settings.json', content: '' }, 'protected_path'],
    ['write_file', { file_path: '~/x', content: '' }, 'path_escape'],
    ['write_file', {}, 'unsupported'],
    ['run_shell_command', {}, 'unsupported'],
    ['read_file', { file_path: '.env' }, 'access_denied'],
    ['read_file', { absolute_path: '.env' }, 'access_denied'],
    ['read_many_files', { include: ['**/*'] }, 'access_denied'],
    ['grep_search', { pattern: 'x' }, 'access_denied'],
    ['search_file_content', { pattern: 'x', path: '.' }, 'access_denied'],
  ])('%s %j is blocked with and without a mount: %s', async (tool, input, reason) => {
    for (const isStaged of [true, false]) {
      const { gemini, project } = setUpHooks({ isStaged })
      project.write('.env', 'SECRET=1\n')
      expect(reasonIn(await gemini('BeforeTool', call(tool, input)))).toBe(reason)
    }
  })

  it("blocks unknown tools, and recognizes its own server by the client's metadata", async () => {
    const { gemini } = setUpHooks()
    const server = (server_name: string, tool = 'mcp_escrow_write_file') =>
      gemini('BeforeTool', { ...call(tool, {}), mcp_context: { server_name } })
    expect(await server('escrow')).toEqual({})
    // Another server's tool may have the name of a harmless built-in one.
    for (const answer of [await server('other'), await server('other', 'web_fetch')])
      expect(answer.decision).toBe('deny')
    expect((await gemini('BeforeTool', call('mcp_escrow_write_file', {}))).decision).toBe('deny')
    expect((await gemini('BeforeTool', call('save_memory', { fact: 'x' }))).decision).toBe('deny')
    expect(await gemini('BeforeTool', call('list_directory', { dir_path: '.' }))).toEqual({})
  })

  it.each(['', '{', 'null', '{}', '{"hook_event_name":"BeforeTool","session_id":"s","cwd":"/"}'])(
    'fails on invalid input: %s',
    async (text) => {
      const { project } = setUpHooks()
      await expect(answerGemini(text.replace('"/"', JSON.stringify(project.root)), { env: {} })).rejects.toThrow()
    },
  )
})

it('the other events start with the protocol, and deliver feedback once', async () => {
  const { gemini, project } = setUpHooks({ intents: INTENTS })
  for (const event of ['BeforeAgent', 'SessionStart'])
    expect(await gemini(event, { prompt: 'x' })).toEqual({
      hookSpecificOutput: {
        hookEventName: event,
        additionalContext: expect.stringContaining('# Working under an intent'),
      },
    })
  expect(await gemini('BeforeAgent', { prompt: 'x' })).toEqual({})
  const workspace = await project.open()
  const session = await startSession(workspace, 'c1')
  session.fs.writeFileSync('src/a.ts', 'x')
  await (await workspace.review('c1')).reject('src/a.ts', 'No.')
  await workspace.close()
  expect(await gemini('AfterAgent', { stop_hook_active: true })).toEqual({})
  expect(await gemini('AfterAgent', { stop_hook_active: false })).toEqual({
    decision: 'deny',
    reason: expect.stringContaining('No.'),
  })
  expect(await gemini('AfterTool', call('write_file', {}))).toEqual({})
  expect(await gemini('BeforeModel')).toEqual({})
})
