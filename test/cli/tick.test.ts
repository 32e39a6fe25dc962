import { expect, it } from 'vitest'
import { scene } from '../attacks/kit.js'
import { escrow, workspaceDir } from './harness.js'
import { escrowAt } from './real.js'

/** A session with one staged file, for an intent with two sentences. */
async function setUp() {
  const fixture = scene({ 'src/a.ts': 'a\n' })
  const declared = await escrowAt(fixture.root, [
    'intents',
    'edit',
    'INT-001',
    '--criterion',
    'Prices are integers',
    'Tax',
  ])
  expect(declared).toMatchObject({ code: 0 })
  const workspace = await fixture.open()
  const { fs } = await fixture.agent(workspace)
  fs.writeFileSync(fixture.at('src/a.ts'), 'A\n')
  await workspace.close()
  return { fixture, run: (...argv: string[]) => escrowAt(fixture.root, argv) }
}

const NONE = '[ ]  INT-001 1  Prices are integers\n[ ]  INT-001 2  Tax\n0 of 2 sentences ticked.\n'

it('lists the sentences, ticks some, and clears ticks', async () => {
  const { run } = await setUp()
  expect(await run('tick', 'one')).toMatchObject({ code: 0, out: NONE })
  const ticked = '[ ]  INT-001 1  Prices are integers\n[x]  INT-001 2  Tax (Ann)\n1 of 2 sentences ticked.\n'
  expect(await run('tick', 'one', 'INT-001', '2', '--by', 'Ann')).toMatchObject({ code: 0, out: ticked })
  expect((await run('check', 'one', '--status')).out).toMatch(/^No check applies.*\n\[ \]/)
  expect((await run('check', 'one', '--status')).out.endsWith(ticked)).toBe(true)
  const { checklist } = JSON.parse((await run('check', 'one', '--status', '--json')).out)
  expect(checklist).toMatchObject([{ ticked: false }, { ticked: true, by: { name: 'Ann' } }])
  expect(await run('tick', 'one', 'INT-001', '2', '--undo')).toMatchObject({ code: 0, out: NONE })
})

it('names the unticked sentences after a commit', async () => {
  const { run } = await setUp()
  await run('approve', 'one', 'src/a.ts')
  await run('tick', 'one', 'INT-001', '2')
  const { code, err } = await run('commit', 'one')
  expect([code, err]).toEqual([0, expect.stringContaining('unticked   INT-001: Prices are integers\n')])
  expect(err).not.toContain('Tax')
})

it('ticks several sentences at once, and prints JSON', async () => {
  const { run } = await setUp()
  const { code, out } = await run('tick', 'one', 'INT-001', '1', '2', '--json')
  expect([code, JSON.parse(out)]).toMatchObject([
    0,
    { session: 'one', checklist: [{ number: 1, ticked: true }, { ticked: true }] },
  ])
})

it.each([
  [['INT-001', '3'], 'INT-001 3'],
  [['INT-001'], 'INT-001 without a number'],
  [['1'], 'no sentence 1.'],
  [['INT-001', '1', 'INT-002'], 'INT-002 without a number'],
])('refuses %j and ticks nothing', async (args, message) => {
  const { run } = await setUp()
  const { code, err } = await run('tick', 'one', ...args)
  expect([code, err]).toEqual([1, expect.stringContaining(message)])
  expect((await run('tick', 'one')).out).toBe(NONE)
})

it('needs sentences to clear, and says how to declare one', async () => {
  expect((await escrow(workspaceDir(), ['tick', 'one', '--undo'])).code).toBe(2)
  const { code, out } = await escrow(workspaceDir(), ['tick', 'one'])
  expect([code, out]).toEqual([0, expect.stringContaining("'escrow intents edit ID --criterion TEXT'")])
})
