import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hostileRepository, INTENTS, type Machine, OWN_WRITES, snapshotOf, unexpectedChanges } from './kit.js'

/** A session that the attacker made with the real product and approved. Its files are in the branch. */

const EVIL = 'export const evil = 1\n'
const CALLS = [
  ['src/evil.ts', EVIL],
  ['src/a.ts', EVIL],
  ['keys/k.txt', 'k\n'],
] as const

const clone = hostileRepository(async (attacker) => {
  attacker.write('.orchestration/active_intents.yaml', INTENTS.replace('"src/**"', '"src/**", "keys/**"'))
  attacker.write('.orchestration/policy.yaml', 'access: {"keys/**": ask}\n')
  attacker.write('keys/README', 'keys\n')
  await attacker.trust()
  const outcomes = await attacker.runAgent({ id: 'agent-1', intent: 'INT-001', calls: CALLS })
  expect(outcomes).toEqual(['done', 'done', 'done', 'refused: needs_approval'])
  expect((await attacker.escrow('approve agent-1')).out).toContain('approved  src/evil.ts')
  const pending = JSON.parse((await attacker.escrow('questions --json')).out) as { questions: { id: string }[] }
  expect(pending.questions).toHaveLength(1)
  for (const { id } of pending.questions) expect((await attacker.escrow(`answer agent-1 ${id} subtree`)).code).toBe(0)
  copySessionIntoTree(attacker, 'agent-1')
})

/** Copies a session's files into the tree, where earlier versions kept them. */
function copySessionIntoTree({ dir, root }: Machine, id: string): void {
  const found = readdirSync(dir, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith(`sessions/${id}`))
  if (found === undefined) throw new Error(`There is no session ${id}.`)
  const target = join(root, '.orchestration/sessions', id)
  if (join(dir, found) !== target) cpSync(join(dir, found), target, { recursive: true })
}

describe('a session in the branch', () => {
  it.each(['commit agent-1', 'commit --merge agent-1', 'commit --strict agent-1'])(
    'escrow %s commits nothing of it',
    async (line) => {
      const victim = clone()
      const before = snapshotOf(victim)
      const { code, out } = await victim.escrow(line, { terminal: true })
      expect(unexpectedChanges(before, victim, OWN_WRITES)).toEqual([])
      expect([code, out]).not.toEqual([0, expect.stringContaining('committed  ')])
    },
  )

  it('is not a session of this person: no command lists it', async () => {
    const victim = clone()
    const before = snapshotOf(victim)
    expect((await victim.escrow('sessions --names')).out).toBe('')
    expect(JSON.parse((await victim.escrow('status --json')).out)).toMatchObject({ sessions: [] })
    expect((await victim.escrow('diff agent-1')).code).toBe(1)
    expect((await victim.escrow('approve agent-1', { terminal: true })).code).toBe(1)
    expect((await victim.escrow('discard agent-1 src/evil.ts', { terminal: true })).code).toBe(1)
    expect(unexpectedChanges(before, victim)).toEqual([])
  })

  it('does not pass its verdicts to a new session of that name', async () => {
    const victim = clone()
    await victim.trust()
    const before = snapshotOf(victim)
    const [selected, ...outcomes] = await victim.runAgent({
      id: 'agent-1',
      intent: 'INT-001',
      calls: CALLS.slice(0, 2),
    })
    expect([selected, outcomes]).toEqual(['done', ['done', 'done']])
    const { out } = await victim.escrow('commit agent-1', { terminal: true })
    expect(out).toContain('Nothing is approved')
    expect(unexpectedChanges(before, victim, OWN_WRITES)).toEqual([])
  })

  it('does not pass its answers to a new session of that name', async () => {
    const victim = clone()
    await victim.trust()
    const work = { id: 'agent-1', intent: 'INT-001', calls: [CALLS[2]] }
    expect(await victim.runAgent(work)).toEqual(['done', 'refused: needs_approval'])
  })
})
