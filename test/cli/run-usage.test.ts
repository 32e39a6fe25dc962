import { expect, it } from 'vitest'
import { openWorkspace } from '../../src/index.js'
import { INTENTS, testWorkspace } from '../support/workspace.js'
import { escrowAt } from './real.js'

async function sessionsOf(root: string) {
  const workspace = await openWorkspace(root)
  const found = await workspace.sessions()
  await workspace.close()
  return found.map(({ id }) => id)
}

it("'escrow run' with the id of an intent as its program names the option, and starts nothing", async () => {
  const { root } = testWorkspace({}, INTENTS)
  for (const command of ['run', 'acp']) {
    expect(await escrowAt(root, [command, 'INT-001', '--', 'sh', 'agent.sh'])).toEqual({
      ...{ code: 2, out: '', err: "escrow: INT-001 is an intent. Name it with '--intent INT-001'.\n" },
    })
  }
  expect(await sessionsOf(root)).toEqual([])
})

it.each([
  [['no-such-program'], 'There is no program no-such-program on the PATH of commands.'],
  [['--env', 'PATH=/nowhere', '--', 'sh'], 'There is no program sh on the PATH of commands.'],
  [['--', './no-such.sh'], 'There is no program ./no-such.sh.'],
  [['--', '/nowhere/agent'], 'There is no program /nowhere/agent.'],
])("'escrow run %j' names the missing program, and leaves no session", async (args, message) => {
  const { root } = testWorkspace({}, INTENTS)
  const { code, err } = await escrowAt(root, ['run', '--intent', 'INT-001', ...args])
  expect([code, err]).toEqual([1, expect.stringContaining(message)])
  expect(await sessionsOf(root)).toEqual([])
})
