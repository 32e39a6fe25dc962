import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { forgePlan } from './forged.js'
import { hostileRepository, OWN_WRITES, snapshotOf, unexpectedChanges } from './kit.js'

/** Directories of `.orchestration` that are links to a directory with files the victim needs. */

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

/** An agent writes a file; its change is approved and committed, and the undo is staged. */
const WORK = { id: 'mine', intent: 'INT-001', calls: [['src/a.ts', 'export const a = 2\n']], after: 'undo' } as const

describe.each(LINKS)('%s, a link to a directory outside', (name, target) => {
  const clone = hostileRepository((attacker) => attacker.link(`.orchestration/${name}`, target))

  it('is followed neither by a command that only reads nor by a commit', async () => {
    const victim = clone()
    const before = snapshotOf(victim)
    await victim.escrow(name === 'templates' ? 'intents templates' : 'recover')
    expect(unexpectedChanges(before, victim)).toEqual([])
    await victim.trust()
    await victim.runAgent(WORK)
    expect(unexpectedChanges(before, victim, [...OWN_WRITES, '.orchestration/intent_map.md', 'src/a.ts'])).toEqual([])
  })
})

describe('a forged plan whose transaction is a link to a directory outside', () => {
  const clone = hostileRepository((attacker) => {
    forgePlan(attacker, [{ path: 'src/a.ts', op: 'delete' }], { withFiles: false })
    attacker.link('.orchestration/tx/1-0badc0de', '../../../outside')
  })

  it.each(['status', 'recover'])('escrow %s neither removes nor creates a file there', async (line) => {
    const victim = clone()
    const before = snapshotOf(victim)
    await victim.escrow(line)
    expect(unexpectedChanges(before, victim)).toEqual([])
  })
})

describe('.orchestration, a link', () => {
  const clone = hostileRepository((attacker) => {
    rmSync(join(attacker.root, '.orchestration'), { recursive: true })
    attacker.link('.orchestration', '../outside')
  })

  it.each(['status', 'init', 'recover', 'intents add Prices', 'map', 'run --session mine -- true'])(
    'escrow %s refuses it by name',
    async (line) => {
      const victim = clone()
      const before = snapshotOf(victim)
      const { code, all } = await victim.escrow(line)
      expect(unexpectedChanges(before, victim)).toEqual([])
      expect([code, all]).toEqual([1, expect.stringContaining('.orchestration')])
    },
  )

  it('an agent cannot open a session in it', async () => {
    const victim = clone()
    const before = snapshotOf(victim)
    const [opened] = await victim.runAgent({ id: 'mine', calls: [['src/a.ts', 'x']] })
    expect([opened, unexpectedChanges(before, victim)]).toEqual([expect.stringContaining('refused'), []])
  })
})
