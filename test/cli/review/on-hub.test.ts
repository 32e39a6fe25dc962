import { describe, expect, it } from 'vitest'
import { addRemote } from '../../../src/remote/index.js'
import { serveTrial } from '../../hub/fixtures.js'
import { threeHunks } from '../../hub/hunks.js'
import { reviewerOf, states, sync } from '../../remote/kit.js'
import { compileOnce } from '../../support/compiled.js'
import { start, type Terminal, type TerminalOptions } from '../../support/tmux.js'
import { startSession, testWorkspace } from '../../support/workspace.js'
import { escrowAt } from '../real.js'

const PATH = 'src/a.ts'
const { before, after } = threeHunks(PATH)

/** A machine whose changes are on a hub, and a terminal review there by Ada. */
async function setUp() {
  const hub = await serveTrial()
  const project = testWorkspace({ [PATH]: before, 'src/b.ts': 'b\n' })
  const workspace = await project.open()
  await addRemote(workspace.root, hub.url, await hub.token('laptop', 'host'))
  const session = await startSession(workspace, 'agent-1')
  session.fs.writeFileSync(PATH, after)
  session.fs.writeFileSync('src/new.ts', 'export const fresh = 1\n')
  await sync(workspace)
  const token = await hub.token('Ada', 'reviewer')
  const open = (options: TerminalOptions = {}, where = hub.url) => {
    const escrow = `${process.execPath} ${compileOnce()}/test/children/escrow.js review --hub ${where}`
    const command = `echo; echo; echo; echo; (${escrow}); code=$?; sleep 0.3; exit $code`
    return start(command, { cwd: project.root, ...options, env: { ...options.env, ESCROW_HUB_TOKEN: token } })
  }
  return { hub, project, workspace, session, open }
}

/** Leaves the review, then the list of sessions. */
async function quit(t: Terminal): Promise<void> {
  t.key('q')
  await t.waitFor('1 session to review')
  t.key('q')
  expect(await t.waitForExit()).toBe(0)
}

describe('escrow review --hub', () => {
  it('lists waiting changes, decides by hunk and by file, and the machine records the verdicts', async () => {
    const { workspace, session, open } = await setUp()
    const t = open()
    await t.waitFor('laptop.agent-1')
    expect(t.screen()).toContain('2 of 2 to decide')
    t.key('Enter')
    await t.waitFor('1/4 src/a.ts')
    expect(t.screen()).toMatch(/laptop\.agent-1 .*files: 2 pending, 0 approved, 0 rejected; hunks: 0 of/)
    t.key('y')
    await t.waitFor('You approved a hunk of src/a.ts.')
    t.key('n')
    await t.waitFor('Reject; tell the agent why')
    t.type('not this line')
    t.key('Enter')
    await t.waitFor('You rejected a hunk of src/a.ts.')
    t.key('G')
    await t.waitFor('4/4 src/new.ts')
    t.key('Y')
    await t.waitFor('You approved src/new.ts.')
    await quit(t)
    expect(t.screen()).toContain("Session 'laptop.agent-1', 2 changes: 1 approved, 0 rejected, 1 pending.")
    await sync(workspace)
    expect(await states(workspace)).toEqual([`${PATH} pending`, 'src/new.ts approved'])
    const [change] = (await (await workspace.review('agent-1')).changes()).changes
    expect(change?.hunks.map(({ state }) => state)).toEqual(['approved', 'rejected', 'pending'])
    expect(JSON.stringify(await session.feedback())).toContain('not this line')
  })

  it("shows the machine's messages and only supported keys, and follows the agent", async () => {
    const { workspace, session, open } = await setUp()
    const t = open({ columns: 60, rows: 18 }, '')
    await t.waitFor('laptop.agent-1')
    t.key('Enter')
    await t.waitFor('1/4 src/a.ts')
    t.key('i')
    await t.waitFor('Scope: src/**')
    expect(t.screen()).toContain('INT-001: ')
    t.key('?')
    t.key('?')
    await t.waitFor('approve this file')
    expect(t.screen()).not.toMatch(/commit|split|question/)
    t.key('z')
    for (const key of ['c', 'e', 'x', 's', 'u']) t.key(key)
    await t.waitFor('1/4 src/a.ts')
    session.fs.writeFileSync('src/later.ts', 'export const later = 1\n')
    await sync(workspace)
    await t.waitFor('src/later.ts has changed.')
    await t.waitFor('1/5 src/a.ts')
    t.key('A')
    await t.waitFor('Approve all but what is rejected')
    t.key('y')
    await t.waitFor('You approved 3 changes.')
    await quit(t)
    await sync(workspace)
    expect(await states(workspace)).toEqual([`${PATH} approved`, 'src/later.ts approved', 'src/new.ts approved'])
  })

  it('says which approvals are missing if two reviewers must approve, and who rejected', async () => {
    const { hub, open } = await setUp()
    const bo = await reviewerOf(hub, 'Bo')
    const admin = { authorization: `Bearer ${await hub.token('Root', 'admin')}` }
    const rules = { method: 'PUT', headers: admin, body: '{"approvals":2,"codeowners":null,"teams":{}}' }
    expect((await fetch(`${hub.url}/v1/rules`, rules)).status).toBe(204)
    await bo.decide('laptop.agent-1', 'rejected', 'src/new.ts')
    const t = open()
    await t.waitFor('laptop.agent-1')
    t.key('Enter')
    await t.waitFor('1/4 src/a.ts')
    t.key('Y')
    await t.waitFor('Approve all of it?')
    t.key('y')
    await t.waitFor('It needs more approvals')
    expect(t.screen()).toContain('Approved by Ada. It needs 1 more approval.')
    t.key('G')
    await t.waitFor('rejected by Bo: Not like this.')
    await quit(t)
  })

  it("needs a reviewer's token, and is refused to an agent", async () => {
    const { hub, project } = await setUp()
    const terminal = (token: string, env: Record<string, string> = {}) =>
      start(`${process.execPath} ${compileOnce()}/test/children/escrow.js review --hub ${hub.url}; sleep 0.3`, {
        cwd: project.root,
        env: { ESCROW_HUB_TOKEN: token, ...env },
      })
    const none = terminal('')
    await none.waitFor('There is no token of a reviewer.')
    const host = terminal(await hub.token('desk', 'host'))
    await host.waitFor('This token has the role host, and only a reviewer decides.')
    const agent = terminal(await hub.token('Cy', 'reviewer'), { ESCROW_SESSION: 'agent-1' })
    await agent.waitFor('access_denied')
    const { code, err } = await escrowAt(project.root, ['review', '--hub', hub.url])
    expect([code, err]).toEqual([2, expect.stringContaining('A review on a hub needs a terminal')])
  })
})
