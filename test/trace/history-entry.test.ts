import { expect, it } from 'vitest'
import { toHistoryEntry } from '../../src/trace/index.js'

const about = (metadata: Record<string, unknown>) =>
  toHistoryEntry({ version: '0.1.0', id: 'r', timestamp: '', files: [], metadata: { 'dev.escrowfs': metadata } }).about

it.each<[Record<string, unknown>, string[]]>([
  [{ type: 'tool_call', tool_name: 'exec', outcome: 'ok', paths: [] }, ['exec']],
  [{ type: 'tool_call', tool_name: 'read_file', outcome: 'denied' }, ['read_file: denied']],
  [{ type: 'tool_call', tool_name: 'write_file', outcome: 'ok', paths: ['b', 'a'] }, ['a', 'b']],
  [{ type: 'tool_call' }, []],
  [
    { type: 'command', command: ['npm', 'test'], background: 'c1', started: true, exit_code: null },
    ['npm test: started'],
  ],
  [{ type: 'command', command: ['npm', 'test'], background: 'c1', exit_code: 1 }, ['npm test: 1']],
  [{ type: 'command', command: ['sh', '-c', 'cd a\nls'], exit_code: 0 }, ['sh -c cd a … (1 more line): 0']],
  [{ type: 'command', command: 'sleep 9', ended: 'timeout' }, ['sleep 9: timeout']],
  [
    { type: 'scope_changed', change: { created: true, scope: { added: ['src/**'], removed: [] } } },
    ['created', '+src/**'],
  ],
  [{ type: 'scope_changed', change: { deleted: true } }, ['deleted']],
])('%j is summarized as %j', (metadata, summary) => {
  expect(about(metadata)).toEqual(summary)
})

it.each([
  { type: 'command', command: ['npm', 'test'], exit_code: 0, quarantine: 'taken', refused: [] },
  { type: 'tool_call', tool_name: 'write_file', outcome: 'ok' },
  { type: 'verdict', verdict: 'approved', path: 'a' },
])('reads our own fields of %j once', (fields) => {
  let reads = 0
  const own = {
    ...fields,
    get paths() {
      reads++
      return undefined
    },
  }
  about(own)
  expect(reads).toBe(1)
})
