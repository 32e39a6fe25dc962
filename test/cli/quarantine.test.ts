import { expect, it } from 'vitest'
import { INTENTS } from '../support/workspace.js'
import { site } from '../terminal/site.js'
import { escrowAt } from './real.js'

async function refusedWithoutIntent() {
  const fixture = await site({ 'src/a.ts': 'a\n' }, INTENTS)
  await fixture.session.selectIntent(null)
  await fixture.session.exec('echo y >> src/a.ts; echo n > other.txt')
  await fixture.session.close()
  return Object.assign((...argv: string[]) => escrowAt(fixture.root, ['quarantine', 'agent', ...argv]), fixture)
}

it('diff names quarantined paths if nothing is staged, and log names the refused paths', async () => {
  const { root } = await refusedWithoutIntent()
  expect((await escrowAt(root, ['diff', 'agent'])).out).toBe(
    "Nothing is staged in session 'agent'.\nIts quarantine has 2 refused effects: escrow quarantine agent\n",
  )
  expect((await escrowAt(root, ['log'])).out).toContain(
    'echo y >> src/a.ts; echo n > other.txt: 0, refused: other.txt, src/a.ts\n',
  )
})

it('a command for a person, not a tool, is proposed, and works', async () => {
  const quarantine = await refusedWithoutIntent()
  const early = await quarantine('--take', 'src/a.ts')
  expect([early.code, early.out]).toEqual([1, ''])
  expect(early.err).not.toContain('select_active_intent')
  const command = /^ {2}escrow quarantine agent (.*)$/m.exec(early.err)?.[1] ?? ''
  expect(command).toBe('--take src/a.ts --intent INT-001')
  const late = await quarantine(...command.split(' '))
  expect([late.code, late.out]).toEqual([0, "staged   src/a.ts\nSee 'escrow diff agent'.\n"])
})

it('the command that widens the scope is named', async () => {
  const quarantine = await refusedWithoutIntent()
  const { code, err } = await quarantine('--take', 'other.txt', '--intent', 'INT-001')
  expect(code).toBe(1)
  expect(err).toBe(
    'refused    other.txt (scope_violation): It is not in the scope of INT-001. Add this path to the scope of INT-001.\n' +
      '  escrow intents scope INT-001 --add other.txt && escrow quarantine agent --take other.txt --intent INT-001\n',
  )
})

it('the log shows quarantined content as taken or dropped', async () => {
  const quarantine = await refusedWithoutIntent()
  await quarantine('--take', 'src/a.ts', '--intent', 'INT-001', '--by', 'Ada')
  await quarantine('--drop', 'other.txt', '--by', 'Ada')
  const { out } = await escrowAt(quarantine.root, ['log', '--kind', 'command', '-n', '2'])
  expect(out).toContain('src/a.ts by Ada (taken from quarantine)')
  expect(out).toContain('other.txt by Ada (dropped from quarantine)')
})

it('an undeclared intent, and --intent without --take, are refused', async () => {
  const quarantine = await refusedWithoutIntent()
  expect((await quarantine('--take', 'src/a.ts', '--intent', 'INT-01')).err).toContain("Did you mean 'INT-001'?")
  expect((await quarantine('--intent', 'INT-001')).code).toBe(2)
})
