import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { histories, readAll } from '../history.js'

/** Small histories in the forms of the clients' own files. */

const CODEX_ID = '0199aaaa-0000-7000-8000-000000000001'
const item = (payload: object) => ({ timestamp: '2026-01-05T10:00:01.000Z', type: 'response_item', payload })

it('reads rollouts of Codex: shells, patches and their directories', () => {
  const root = histories({
    [`2026/01/05/rollout-2026-01-05T10-00-00-${CODEX_ID}.jsonl`]: [
      {
        timestamp: '2026-01-05T10:00:00.000Z',
        type: 'session_meta',
        payload: { id: CODEX_ID, cwd: '/home/ada/shop', originator: 'codex_cli_rs' },
      },
      item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix it' }] }),
      item({
        type: 'function_call',
        name: 'shell',
        arguments: '{"command":["bash","-lc","ls src"],"workdir":"/home/ada/shop/web"}',
        call_id: 'c1',
      }),
      item({ type: 'function_call', name: 'exec_command', arguments: '{"cmd":"npm test"}', call_id: 'c2' }),
      item({
        type: 'function_call',
        name: 'shell',
        arguments: '{"command":["git","commit","-m","it works"]}',
        call_id: 'c3',
      }),
      item({ type: 'local_shell_call', action: { type: 'exec', command: ['rm', 'a b'] }, call_id: 'c4' }),
      item({
        type: 'custom_tool_call',
        name: 'apply_patch',
        input: '*** Begin Patch\n*** Add File: a.txt\n+1\n*** End Patch',
        call_id: 'c5',
      }),
      item({
        type: 'function_call',
        name: 'shell',
        arguments: '{"command":["apply_patch","*** Begin Patch\\n*** Delete File: b.txt\\n*** End Patch"]}',
        call_id: 'c6',
      }),
      item({ type: 'function_call', name: 'shell', arguments: '{"command":', call_id: 'c7' }),
      item({ type: 'function_call_output', call_id: 'c1', output: 'ok' }),
    ],
  })
  const { calls } = readAll(root)
  expect(calls.map(({ tool, input, cwd }) => [tool, input.command ?? input.input, cwd])).toEqual([
    ['Bash', 'ls src', '/home/ada/shop/web'],
    ['Bash', 'npm test', '/home/ada/shop'],
    ['Bash', "git commit -m 'it works'", '/home/ada/shop'],
    ['Bash', "rm 'a b'", '/home/ada/shop'],
    ['apply_patch', '*** Begin Patch\n*** Add File: a.txt\n+1\n*** End Patch', '/home/ada/shop'],
    ['apply_patch', '*** Begin Patch\n*** Delete File: b.txt\n*** End Patch', '/home/ada/shop'],
    // Arguments that are not JSON: a call without a command, which is refused.
    ['Bash', undefined, '/home/ada/shop'],
  ])
  expect(new Set(calls.map(({ session, host }) => `${host} ${session}`))).toEqual(new Set([`codex ${CODEX_ID}`]))
})

it('reads the first rollouts of Codex, whose items have no envelope', () => {
  const root = histories({
    'rollout-old.jsonl': [
      { id: CODEX_ID, timestamp: '2025-06-01T10:00:00.000Z', instructions: '' },
      { type: 'function_call', id: 'f', name: 'shell', arguments: '{"command":["bash","-lc","ls"]}', call_id: 'c1' },
    ],
  })
  expect(readAll(root).calls).toMatchObject([
    { host: 'codex', session: 'rollout-old', tool: 'Bash', input: { command: 'ls' } },
  ])
})

it('reads chats of Gemini CLI, and finds their directory by its hash', () => {
  const hash = createHash('sha256').update('/home/ada/shop').digest('hex')
  const call = (name: string, args: object) => ({
    id: `${name}-1`,
    name,
    args,
    status: 'success',
    timestamp: '2026-01-05T10:00:00.000Z',
  })
  const message = (...toolCalls: object[]) => ({ id: 'm', type: 'gemini', content: '', timestamp: '', toolCalls })
  const root = histories({
    'tmp/x/chats/session-2026-01-05T10-00-aaaa.json': JSON.stringify({
      sessionId: 'g1',
      projectHash: hash,
      startTime: '2026-01-05T10:00:00.000Z',
      messages: [
        { id: 'u', type: 'user', content: 'Hello' },
        message(
          call('read_file', { file_path: '/home/ada/shop/src/a.ts' }),
          call('run_shell_command', { command: 'ls' }),
        ),
      ],
    }),
    'tmp/x/chats/session-2026-01-06T10-00-bbbb.jsonl': [
      { sessionId: 'g2', projectHash: hash, startTime: '', kind: 'main' },
      message(call('write_file', { file_path: '/elsewhere/a', content: 'x' })),
    ],
    'tmp/x/logs.json': '[]',
  })
  expect(readAll(root).calls.map(({ session, tool, cwd }) => [session, tool, cwd])).toEqual([
    ['g1', 'read_file', '/home/ada/shop'],
    ['g1', 'run_shell_command', '/home/ada/shop'],
    ['g2', 'write_file', undefined],
  ])
})

it("reads opencode's storage and exports, each call with its session's directory", () => {
  const part = { id: 'prt_1', sessionID: 'ses_1', messageID: 'msg_1', type: 'tool', callID: 'c1', tool: 'bash' }
  const state = { status: 'completed', input: { command: 'ls' }, output: 'a' }
  const root = histories({
    'storage/part/msg_1/prt_1.json': JSON.stringify({ ...part, state }),
    'storage/part/msg_1/prt_2.json': JSON.stringify({ ...part, id: 'prt_2', type: 'text', text: 'Done.' }),
    'storage/message/ses_1/msg_1.json': '{"id":"msg_1"}',
    'storage/session/p1/ses_1.json': '{"id":"ses_1","directory":"/home/ada/shop","title":"x"}\n',
    'export.json': JSON.stringify({
      info: { id: 'ses_2', directory: '/home/ada/web' },
      messages: [
        {
          info: { id: 'msg_2' },
          parts: [
            {
              ...part,
              sessionID: 'ses_2',
              callID: 'c2',
              tool: 'edit',
              state: { status: 'error', input: { filePath: 'a' } },
            },
          ],
        },
      ],
    }),
  })
  expect(readAll(root).calls.map(({ session, tool, cwd }) => [session, tool, cwd])).toEqual([
    ['ses_2', 'edit', '/home/ada/web'],
    ['ses_1', 'bash', '/home/ada/shop'],
  ])
})

const details = (word: string) =>
  `<environment_details>\n# Current ${word} Directory (/home/ada/shop) Files\na.ts\n</environment_details>`

it('reads tasks of Cline and Roo Code: tool calls, and calls of older versions within text', () => {
  const root = histories({
    'tasks/1767600000000/api_conversation_history.json': JSON.stringify([
      { role: 'user', content: [{ type: 'text', text: `Fix it\n${details('Working')}` }] },
      {
        role: 'assistant',
        content: [
          {
            type: 'text',
            text: '<write_to_file>\n<path>src/a.ts</path>\n<content>\n<path>no</path></content>\n</write_to_file>',
          },
        ],
      },
      { role: 'user', content: '<read_file><path>not a call</path></read_file>' },
      { role: 'assistant', content: 'I look.\n<execute_command><command>ls && echo "<b>"</command></execute_command>' },
    ]),
    'tasks/1767600000000/ui_messages.json': '[]',
    'tasks/0199bbbb/api_conversation_history.json': JSON.stringify([
      { role: 'user', content: [{ type: 'text', text: details('Workspace') }] },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 't1', name: 'apply_diff', input: { path: 'a.ts', diff: 'x' } }],
      },
      {
        role: 'assistant',
        content: [
          {
            type: 'text',
            text: '<read_file><args><file><path>a</path></file><file><path>b</path></file></args></read_file>',
          },
        ],
      },
    ]),
  })
  expect(readAll(root).calls.map(({ host, session, tool, input, cwd }) => [host, session, tool, input, cwd])).toEqual([
    ['roo', '0199bbbb', 'apply_diff', { path: 'a.ts', diff: 'x' }, '/home/ada/shop'],
    ['roo', '0199bbbb', 'read_file', { path: 'a', files: [{ path: 'a' }, { path: 'b' }] }, '/home/ada/shop'],
    ['cline', '1767600000000', 'write_to_file', { path: 'src/a.ts' }, '/home/ada/shop'],
    ['cline', '1767600000000', 'execute_command', { command: 'ls && echo "<b>"' }, '/home/ada/shop'],
  ])
})

it('reads a long text of tool calls without an end', () => {
  const text = `<read_file><path>a</path></read_file>${'<read_file>'.repeat(200_000)}<list_files><path>b</path></list_files>`
  const root = histories({
    'tasks/1/api_conversation_history.json': JSON.stringify([{ role: 'assistant', content: text }]),
  })
  expect(readAll(root).calls.map(({ tool, input }) => [tool, input.path])).toEqual([
    ['read_file', 'a'],
    ['list_files', 'b'],
  ])
})

it('reads our own ledger: commands once, and the paths of tool calls', () => {
  const record = (own: object) => ({
    version: '0.1.0',
    session_id: 'agent-1',
    files: [],
    metadata: { 'dev.escrowfs': own },
  })
  const root = histories({
    'agent_trace.jsonl': [
      record({ type: 'command', command: ['rm', 'a b'] }),
      record({ type: 'command', command: 'npm start', background: 'b1', started: true }),
      record({ type: 'command', command: 'npm start', background: 'b1' }),
      record({ type: 'command', quarantine: 'taken' }),
      record({ type: 'tool_call', tool_name: 'exec', paths: ['x'] }),
      record({ type: 'tool_call', tool_name: 'Edit', paths: ['src/a.ts'] }),
      record({ type: 'commit', changes: [] }),
    ],
  })
  expect(readAll(root).calls.map(({ host, session, tool, input }) => [host, session, tool, input])).toEqual([
    ['escrow', 'agent-1', 'execute_command', { command: "rm 'a b'" }],
    ['escrow', 'agent-1', 'execute_command', { command: 'npm start' }],
    ['escrow', 'agent-1', 'write_file', { path: 'src/a.ts' }],
  ])
})
