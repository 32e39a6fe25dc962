import { describe, expect, it } from 'vitest'
import { forgePlan } from './forged.js'
import { cloneOf, damage, hostileRepository, type Machine, OWN_WRITES, ownRepository, pictureOf } from './kit.js'

/** What stood before a commit, as the tree has it: an undo would put it there as if it had been. */

const EVIL = 'export const evil = 1\n'
const HOOK = '#!/bin/sh\ntouch ran\n'

/** Takes the undo all the way to the disk, as a person would who trusts an undo. */
async function undone(victim: Machine): Promise<number | null> {
  const { code } = await victim.escrow('undo 1', { terminal: true })
  for (const line of ['approve undo-1', 'commit undo-1']) await victim.escrow(line, { terminal: true })
  return code
}

describe.each([
  ['sources', { 'src/a.ts': EVIL, 'src/made.ts': EVIL }],
  ['a hook of git', { '.git/hooks/pre-commit': HOOK }],
])('a finished commit that came with the clone, whose undo would write %s', (_, before) => {
  const clone = hostileRepository((attacker) => {
    const changes = Object.keys(before).map((path) => {
      const content = attacker.text(path)
      return content === undefined ? ({ path, op: 'delete' } as const) : ({ path, op: 'overwrite', content } as const)
    })
    forgePlan(attacker, changes, { done: true, before })
  })

  it('cannot be undone: nobody here made it', async () => {
    const victim = clone()
    await victim.trust()
    const picture = pictureOf(victim)
    const code = await undone(victim)
    expect([code, damage(picture, victim, OWN_WRITES)]).toEqual([1, []])
  })
})

describe('before-contents that a pull has replaced', () => {
  const HONEST = 'export const a = 1\n'
  const LANDED = 'export const a = 2\n'
  const owner = ownRepository(() => undefined)

  it('are not what an undo of one’s own commit puts back', async () => {
    const victim = cloneOf(owner())
    await victim.trust()
    await victim.agent({ id: 'mine', intent: 'INT-001', calls: [['src/a.ts', LANDED]], lands: 'commit' })
    expect(victim.text('src/a.ts')).toBe(LANDED)
    victim.git('add', '-A')
    victim.git('commit', '-q', '-m', 'work')
    const attacker = cloneOf(victim)
    // The ledger names the transaction.
    const tx = /"tx":"(1-[0-9a-f]+)"/.exec(attacker.text('.orchestration/agent_trace.jsonl') ?? '')?.[1] ?? ''
    const changes = [{ path: 'src/a.ts', op: 'overwrite', content: LANDED }] as const
    forgePlan(attacker, changes, { tx, session: 'mine', done: true, before: { 'src/a.ts': EVIL } })
    attacker.commit()
    victim.git('pull', '-q', attacker.root, 'main')
    await undone(victim)
    expect([HONEST, LANDED]).toContain(victim.text('src/a.ts'))
  })
})
