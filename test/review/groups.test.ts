import { describe, expect, it } from 'vitest'
import { type Change, groupChanges } from '../../src/index.js'

const change = (path: string, more: Partial<Change> = {}): Change => ({
  path,
  kind: 'modify',
  before: 'sha256:1',
  after: 'sha256:2',
  hunks: [],
  state: 'pending',
  flags: [],
  ...more,
})

const pathsByGroup = (changes: Change[]) =>
  groupChanges({ digest: 'sha256:0', changes }).map(
    ({ changes: of, ...title }) => [title, of.map(({ path }) => path)] as const,
  )

describe('the order of a review', () => {
  it('is deletions, then each warning from the most serious, then intents and tool calls', () => {
    const changes = [
      change('z', { intentId: 'INT-001', calls: ['call-2'] }),
      change('plain'),
      change('b', { intentId: 'INT-001', calls: ['call-1', 'call-2'] }),
      change('a', { intentId: 'INT-001', calls: ['call-1'] }),
      change('drifted', { flags: ['binary', 'drifted'] }),
      change('package.json', { flags: ['protected', 'out-of-scope'] }),
      change('gone', { kind: 'delete', flags: ['conflict'] }),
      change('.npmrc', { flags: ['protected'] }),
      change('both', { flags: ['drifted', 'conflict'] }),
    ]
    expect(pathsByGroup(changes)).toEqual([
      [{ attention: 'delete' }, ['gone']],
      [{ attention: 'conflict' }, ['both']],
      [{ attention: 'out-of-scope' }, ['package.json']],
      [{ attention: 'protected' }, ['.npmrc']],
      [{ attention: 'drifted' }, ['drifted']],
      [{}, ['plain']],
      [{ intentId: 'INT-001', callId: 'call-1' }, ['a', 'b']],
      [{ intentId: 'INT-001', callId: 'call-2' }, ['z']],
    ])
  })

  it('is the order of time, whatever the ids of the calls are', () => {
    const changes = [
      change('c', { calls: ['edit-10'], writtenAt: 30 }),
      change('a', { calls: ['edit-2'], writtenAt: 12 }),
      change('b', { calls: ['toolu_x', 'edit-10'], writtenAt: 31 }),
      change('d', { calls: ['toolu_x'], writtenAt: 5 }),
    ]
    expect(pathsByGroup(changes)).toEqual([
      [{ callId: 'toolu_x' }, ['b', 'd']],
      [{ callId: 'edit-2' }, ['a']],
      [{ callId: 'edit-10' }, ['c']],
    ])
  })

  it('has every change once, and does not modify the set', () => {
    const changes = [change('b'), change('a', { kind: 'delete' })]
    expect(pathsByGroup(changes).flatMap(([, paths]) => paths)).toEqual(['a', 'b'])
    expect(changes.map(({ path }) => path)).toEqual(['b', 'a'])
  })
})
