import { describe, expect, it } from 'vitest'
import { forgePlan } from './forged.js'
import { hostileRepository, OWN_WRITES, type RunOptions, snapshotOf, unexpectedChanges } from './kit.js'

/** A commit plan in the clone, with a valid checksum, that a recovery would execute. */

/** A hook event before a tool writes. `ROOT` is the clone. */
const EVENT = JSON.stringify({
  ...{ session_id: 'c1', cwd: 'ROOT', hook_event_name: 'PreToolUse', tool_name: 'Write', tool_use_id: 't1' },
  tool_input: { file_path: 'ROOT/src/b.ts', content: 'x' },
})

const COMMANDS: readonly [line: string, options?: RunOptions][] = [
  ['status'],
  ['log'],
  ['verify'],
  ['diff agent-1'],
  ['sessions'],
  ['blame src/a.ts'],
  ['questions'],
  ['recover'],
  ['mcp'],
  ['serve', { terminal: true, interrupt: true }],
  ['run --session mine -- true'],
  ['hook claude', { input: EVENT }],
  ['undo 1', { terminal: true }],
  ['commit agent-1', { terminal: true }],
]

describe('a forged commit plan', () => {
  const clone = hostileRepository((attacker) => {
    attacker.write('.orchestration/policy.yaml', 'approval: {by: person}\n')
    attacker.write('tool.sh', '#!/bin/sh\nid\n', 0o755)
    forgePlan(attacker, [
      { path: '.git/hooks/pre-commit', op: 'create', content: '#!/bin/sh\ntouch ran\n', mode: 0o755 },
      { path: 'planted.txt', op: 'create', content: 'planted\n' },
      { path: 'src/a.ts', op: 'overwrite', content: 'export const a = 666\n' },
      { path: '.orchestration/policy.yaml', op: 'overwrite', content: 'access: {".env": allow}\n' },
      { path: 'tool.sh', op: 'chmod', mode: 0o4755 },
    ])
  })

  it.each(COMMANDS)('is not executed by escrow %s', async (line, options = {}) => {
    const victim = clone()
    const before = snapshotOf(victim)
    await victim.escrow(line, { ...options, input: (options.input ?? '').replaceAll('ROOT', victim.root) })
    expect(unexpectedChanges(before, victim, line.startsWith('run') ? OWN_WRITES : [])).toEqual([])
    expect(victim.text('.orchestration/agent_trace.jsonl') ?? '').not.toContain('forged-record')
  })

  it('is not executed by the library in an agent’s process', async () => {
    const victim = clone()
    const before = snapshotOf(victim)
    await victim.runAgent({ id: 'mine', calls: [] })
    expect(unexpectedChanges(before, victim, OWN_WRITES)).toEqual([])
  })
})

describe('plans of finished commits in the clone', () => {
  const clone = hostileRepository((attacker) => {
    forgePlan(attacker, [{ path: 'planted.txt', op: 'create', content: 'planted\n' }], { seq: 4 })
    attacker.write('.orchestration/commits/9.done', 'x\n')
    attacker.write('.orchestration/tx/11-0badc0de/0.new', 'x\n')
  })

  it('are neither removed nor counted', async () => {
    const victim = clone()
    const before = snapshotOf(victim)
    expect((await victim.escrow('recover')).out).not.toContain('0badc0de, which had changed nothing')
    expect(unexpectedChanges(before, victim)).toEqual([])
  })
})
