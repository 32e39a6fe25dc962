import { rmSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { TraceRecord } from '../../src/index.js'
import { openProposals, workEventsOf } from '../../src/trace/work-events.js'
import { testWorkspace } from '../intents/workspace.js'

const record = (metadata: Record<string, unknown>, more: Record<string, unknown> = {}): TraceRecord =>
  ({
    version: '0.1.0',
    id: '1',
    timestamp: '2026-01-01T00:00:00Z',
    session_id: 'agent',
    intent_id: 'INT-001',
    req_id: 'call-1',
    metadata: { 'dev.escrowfs': metadata },
    ...more,
  }) as unknown as TraceRecord

it('reads the calls and commands of a session in order, each command once', () => {
  const records = [
    record({ type: 'tool_call', tool_name: 'edit_file', why: 'Round down' }),
    record({ type: 'tool_call', tool_name: 'edit_file' }, { session_id: 'other' }),
    record({ type: 'command', command: ['npm', 'test'], exit_code: null, started: true }),
    record({ type: 'command', command: ['npm', 'test'], exit_code: 1 }, { req_id: null }),
    record({ type: 'command', quarantine: 'dropped' }),
    record({ type: 'denied' }),
  ]
  const common = { at: '2026-01-01T00:00:00Z', intentId: 'INT-001' }
  expect(workEventsOf(records, 'agent')).toEqual([
    { kind: 'call', callId: 'call-1', ...common, tool: 'edit_file', reason: 'Round down' },
    { kind: 'command', ...common, command: 'npm test', end: 1 },
  ])
})

it('reads the ledger once for the proposals of all sessions', () => {
  const { layout } = testWorkspace('active_intents: []\n')
  const proposing = (session_id: string) =>
    record({ type: 'command', commits: [{ id: 'c1', message: session_id, paths: ['a'] }] }, { session_id })
  writeFileSync(
    `${layout.ledgerFile}`,
    [proposing('one'), proposing('two')].map((each) => JSON.stringify(each)).join('\n'),
  )
  const proposalsOf = openProposals(layout.root)
  rmSync(`${layout.ledgerFile}`)
  expect(['one', 'two', 'three'].map((session) => proposalsOf(session).map(({ message }) => message))).toEqual([
    ['one'],
    ['two'],
    [],
  ])
})

it('has no path that was committed to the disk since, and still those that only landed on a branch', () => {
  const { layout } = testWorkspace('active_intents: []\n')
  const commits = [{ id: 'c1', message: 'Both', paths: ['a', 'b'] }]
  const change = (path: string) => ({ path, before: null, after: 'sha256:0' })
  const write = (...records: TraceRecord[]) =>
    writeFileSync(`${layout.ledgerFile}`, records.map((each) => JSON.stringify(each)).join('\n'))
  const [proposing, committed] = [
    record({ type: 'command', commits }),
    record({ type: 'commit', changes: [change('a')] }),
  ]
  const landed = record({ type: 'commit', changes: [change('b')], landed: { branch: 'main', commit: 'c'.repeat(40) } })
  write(proposing, committed, landed)
  expect(openProposals(layout.root)('agent')).toMatchObject([{ paths: ['b'] }])
  write(proposing, landed)
  expect(openProposals(layout.root)('agent')).toMatchObject([{ paths: ['a', 'b'] }])
})
