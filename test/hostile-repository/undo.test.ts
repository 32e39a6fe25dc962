import { describe, expect, it } from 'vitest'
import { forgePlan } from './forged.js'
import {
  cloneOf,
  hostileRepository,
  type Machine,
  OWN_WRITES,
  ownRepository,
  snapshotOf,
  unexpectedChanges,
} from './kit.js'

/** Contents before a commit, forged in the tree: an undo would restore them as if they were real. */

const EVIL = 'export const evil = 1\n'
const HOOK = '#!/bin/sh\ntouch ran\n'

/** Stages, approves and commits the undo of commit 1. Returns the exit code of `escrow undo`. */
async function undoAndCommit(victim: Machine): Promise<number | null> {
  const { code } = await victim.escrow('undo 1', { terminal: true })
  for (const line of ['approve undo-1', 'commit undo-1']) await victim.escrow(line, { terminal: true })
  return code
}

describe.each([
  ['sources', { 'src/a.ts': EVIL, 'src/made.ts': EVIL }],
  ['a hook of git', { '.git/hooks/pre-commit': HOOK }],
])('a finished commit in the clone whose undo would write %s', (_, before) => {
  const clone = hostileRepository((attacker) => {
    const changes = Object.keys(before).map((path) => {
      const content = attacker.text(path)
      return content === undefined ? ({ path, op: 'delete' } as const) : ({ path, op: 'overwrite', content } as const)
    })
    forgePlan(attacker, changes, { done: true, before })
  })

  it('cannot be undone, because it was not made on this machine', async () => {
    const victim = clone()
    await victim.trust()
    const snapshot = snapshotOf(victim)
    const code = await undoAndCommit(victim)
    expect([code, unexpectedChanges(snapshot, victim, OWN_WRITES)]).toEqual([1, []])
  })
})

describe('before-contents that a pull has replaced', () => {
  const HONEST = 'export const a = 1\n'
  const COMMITTED = 'export const a = 2\n'
  const owner = ownRepository(() => undefined)

  it('are not restored by an undo of a local commit', async () => {
    const victim = cloneOf(owner())
    await victim.trust()
    await victim.runAgent({ id: 'mine', intent: 'INT-001', calls: [['src/a.ts', COMMITTED]], after: 'commit' })
    expect(victim.text('src/a.ts')).toBe(COMMITTED)
    victim.git('add', '-A')
    victim.git('commit', '-q', '-m', 'work')
    const attacker = cloneOf(victim)
    // The ledger names the transaction.
    const tx = /"tx":"(1-[0-9a-f]+)"/.exec(attacker.text('.orchestration/agent_trace.jsonl') ?? '')?.[1] ?? ''
    const changes = [{ path: 'src/a.ts', op: 'overwrite', content: COMMITTED }] as const
    forgePlan(attacker, changes, { tx, session: 'mine', done: true, before: { 'src/a.ts': EVIL } })
    attacker.commit()
    victim.git('pull', '-q', attacker.root, 'main')
    await undoAndCommit(victim)
    expect([HONEST, COMMITTED]).toContain(victim.text('src/a.ts'))
  })
})
