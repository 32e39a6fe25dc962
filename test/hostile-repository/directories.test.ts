import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { forgePlan } from './forged.js'
import { damage, hostileRepository, OWN_WRITES, pictureOf } from './kit.js'

/** Directories of ours that came as links: what they lead to is full of things the victim needs. */

const LINKS: readonly (readonly [name: string, target: string])[] = [
  ['tx', '../../outside'],
  ['commits', '../../outside'],
  ['sessions', '../../outside'],
  ['ledger.d', '../../outside'],
  ['locks', '../../outside'],
  ['templates', '../../outside'],
  ['sessions/mine', '../../../outside'],
  ['tx/3-0badc0de', '../../../outside'],
  ['tx/3-0badc0de.owner', '../../../outside/photo.jpg'],
]

/** An agent works, its work is approved and lands, and its undo is staged. */
const WORK = { id: 'mine', intent: 'INT-001', calls: [['src/a.ts', 'export const a = 2\n']], lands: 'undo' } as const

describe.each(LINKS)('%s, a link to a directory outside', (name, target) => {
  const clone = hostileRepository((attacker) => attacker.link(`.orchestration/${name}`, target))

  it('is not followed by a command that looks, nor by work that lands', async () => {
    const victim = clone()
    const before = pictureOf(victim)
    await victim.escrow(name === 'templates' ? 'intents templates' : 'recover')
    expect(damage(before, victim)).toEqual([])
    await victim.trust()
    await victim.agent(WORK)
    expect(damage(before, victim, [...OWN_WRITES, '.orchestration/intent_map.md', 'src/a.ts'])).toEqual([])
  })
})

describe('a forged plan whose transaction is a link to a directory outside', () => {
  const clone = hostileRepository((attacker) => {
    forgePlan(attacker, [{ path: 'src/a.ts', op: 'delete' }], { fresh: false })
    attacker.link('.orchestration/tx/1-0badc0de', '../../../outside')
  })

  it.each(['status', 'recover'])('takes no file away there and puts none, by escrow %s', async (line) => {
    const victim = clone()
    const before = pictureOf(victim)
    await victim.escrow(line)
    expect(damage(before, victim)).toEqual([])
  })
})

describe('.orchestration, a link', () => {
  const clone = hostileRepository((attacker) => {
    rmSync(join(attacker.root, '.orchestration'), { recursive: true })
    attacker.link('.orchestration', '../outside')
  })

  it.each(['status', 'init', 'recover', 'intents add Prices', 'map', 'run --session mine -- true'])(
    'is refused by name, by escrow %s',
    async (line) => {
      const victim = clone()
      const before = pictureOf(victim)
      const { code, all } = await victim.escrow(line)
      expect(damage(before, victim)).toEqual([])
      expect([code, all]).toEqual([1, expect.stringContaining('.orchestration')])
    },
  )

  it('keeps no session of an agent', async () => {
    const victim = clone()
    const before = pictureOf(victim)
    const [opened] = await victim.agent({ id: 'mine', calls: [['src/a.ts', 'x']] })
    expect([opened, damage(before, victim)]).toEqual([expect.stringContaining('refused'), []])
  })
})
