import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { damage, hostileRepository, INTENTS, type Machine, OWN_WRITES, pictureOf } from './kit.js'

/** A session the attacker made with the real product and approved in their name; its files came with the branch. */

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
  const made = await attacker.agent({ id: 'agent-1', intent: 'INT-001', calls: CALLS })
  expect(made).toEqual(['done', 'done', 'done', 'refused: needs_approval'])
  expect((await attacker.escrow('approve agent-1')).out).toContain('approved  src/evil.ts')
  const asked = JSON.parse((await attacker.escrow('questions --json')).out) as { questions: { id: string }[] }
  expect(asked.questions).toHaveLength(1)
  for (const { id } of asked.questions) expect((await attacker.escrow(`answer agent-1 ${id} subtree`)).code).toBe(0)
  bringAlong(attacker, 'agent-1')
})

/** Into the tree, wherever the product keeps a session: as versions before had it. */
function bringAlong({ dir, root }: Machine, id: string): void {
  const found = readdirSync(dir, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith(`sessions/${id}`))
  if (found === undefined) throw new Error(`There is no session ${id}.`)
  const place = join(root, '.orchestration/sessions', id)
  if (join(dir, found) !== place) cpSync(join(dir, found), place, { recursive: true })
}

describe('a session that came with the branch', () => {
  it.each(['commit agent-1', 'commit --merge agent-1', 'commit --strict agent-1'])(
    'lands nothing, by escrow %s',
    async (line) => {
      const victim = clone()
      const before = pictureOf(victim)
      const { code, out } = await victim.escrow(line, { terminal: true })
      expect(damage(before, victim, OWN_WRITES)).toEqual([])
      expect([code, out]).not.toEqual([0, expect.stringContaining('committed  ')])
    },
  )

  it('is none of this person’s: no command lists it', async () => {
    const victim = clone()
    const before = pictureOf(victim)
    expect((await victim.escrow('sessions --names')).out).toBe('')
    expect(JSON.parse((await victim.escrow('status --json')).out)).toMatchObject({ sessions: [] })
    expect((await victim.escrow('diff agent-1')).code).toBe(1)
    expect((await victim.escrow('approve agent-1', { terminal: true })).code).toBe(1)
    expect((await victim.escrow('discard agent-1 src/evil.ts', { terminal: true })).code).toBe(1)
    expect(damage(before, victim)).toEqual([])
  })

  it('lends its verdict to no session of that name', async () => {
    const victim = clone()
    await victim.trust()
    const before = pictureOf(victim)
    const [selected, ...made] = await victim.agent({ id: 'agent-1', intent: 'INT-001', calls: CALLS.slice(0, 2) })
    expect([selected, made]).toEqual(['done', ['done', 'done']])
    const { out } = await victim.escrow('commit agent-1', { terminal: true })
    expect(out).toContain('Nothing is approved')
    expect(damage(before, victim, OWN_WRITES)).toEqual([])
  })

  it('lends its answers to no session of that name', async () => {
    const victim = clone()
    await victim.trust()
    const work = { id: 'agent-1', intent: 'INT-001', calls: [CALLS[2]] }
    expect(await victim.agent(work)).toEqual(['done', 'refused: needs_approval'])
  })
})
