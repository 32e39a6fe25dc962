import { describe, expect, it } from 'vitest'
import { changeKey } from '../../src/hub/index.js'
import type { Workspace } from '../../src/index.js'
import type { ReceivedDecision } from '../../src/remote/hub-client.js'
import { addRemote } from '../../src/remote/index.js'
import { ownRecordOf } from '../../src/trace/index.js'
import { serveTrial } from '../hub/fixtures.js'
import { threeHunks } from '../hub/hunks.js'
import { metadataOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'
import { lyingHub, reviewerOf, states, sync } from './kit.js'

const PATH = 'src/a.ts'
const { before, after } = threeHunks(PATH)

/**
 * A machine where an agent has changed three hunks of a file, which the hub has. @param lie the hub's false answer
 * instead of a decision
 */
async function machine(
  lie?: (decision: ReceivedDecision) => Partial<ReceivedDecision>,
  { hub, name = 'laptop' }: { hub?: Awaited<ReturnType<typeof serveTrial>>; name?: string } = {},
) {
  const used = hub ?? (await serveTrial())
  const project = testWorkspace({ [PATH]: before, 'src/b.ts': 'b\n' })
  const workspace = await project.open()
  await addRemote(
    workspace.root,
    lie === undefined ? used.url : await lyingHub(used, lie),
    await used.token(name, 'host'),
  )
  const session = await startSession(workspace, 'agent-1')
  session.fs.writeFileSync(PATH, after)
  await sync(workspace)
  return { hub: used, project, workspace, session }
}

const verdictsIn = async (workspace: Workspace) =>
  (await recordsOf(workspace)).flatMap((record) => ownRecordOf(record, 'verdict') ?? [])
const hunks = async (workspace: Workspace) =>
  (await (await workspace.review('agent-1')).changes()).changes.flatMap((change) =>
    change.path === PATH ? change.hunks.map(({ state }) => state) : [],
  )
const outcomes = async (workspace: Workspace) =>
  (await sync(workspace)).flatMap((report) =>
    report.kind === 'decided' ? [`${report.outcome} ${report.hunks ?? 'all'}`] : [],
  )

describe('hunks that two machines stage', () => {
  it('are decided on the hub: each machine commits the approved ones, and the agent gets the reasons for the others', async () => {
    const one = await machine()
    const two = await machine(undefined, { hub: one.hub, name: 'desk' })
    const ada = await reviewerOf(one.hub)
    await ada.decideHunks('laptop.agent-1', 'approved', PATH, 1, 3)
    await ada.decideHunks('laptop.agent-1', 'rejected', PATH, 2)
    await ada.decideHunks('desk.agent-1', 'approved', PATH, 2)
    expect(await outcomes(one.workspace)).toEqual(['approved 2', 'rejected 1'])
    expect(await outcomes(two.workspace)).toEqual(['approved 1'])
    expect(await hunks(one.workspace)).toEqual(['approved', 'rejected', 'approved'])
    expect(await hunks(two.workspace)).toEqual(['pending', 'approved', 'pending'])
    for (const { workspace } of [one, two]) await (await workspace.review('agent-1')).commit()
    expect(one.project.text(PATH)).toBe(after.replace('new line 30', 'line 30'))
    expect(two.project.text(PATH)).toBe(before.replace('line 30', 'new line 30'))
    const feedback = JSON.stringify(await one.session.feedback())
    expect(feedback).toContain('Not like this.')
    expect(feedback).toMatch(/28|30/)
  })

  it('approve the file once all are approved, and apply to its bytes when they return', async () => {
    const { hub, workspace, session } = await machine()
    const ada = await reviewerOf(hub)
    await ada.decideHunks('laptop.agent-1', 'approved', PATH, 1, 2)
    session.fs.writeFileSync(PATH, 'other bytes\n')
    expect(await outcomes(workspace)).toEqual(['passed over 2'])
    expect(await hunks(workspace)).toEqual(['pending'])
    session.fs.writeFileSync(PATH, after)
    expect(await outcomes(workspace)).toEqual(['approved 2'])
    await ada.decideHunks('laptop.agent-1', 'approved', PATH, 3)
    await sync(workspace)
    expect(await states(workspace)).toEqual([`${PATH} approved`])
  })

  it('are recorded in the order of their decisions, also if they waited for their bytes', async () => {
    const { hub, workspace, session } = await machine()
    const ada = await reviewerOf(hub)
    await ada.decide('laptop.agent-1', 'approved', PATH)
    await ada.decideHunks('laptop.agent-1', 'rejected', PATH, 2)
    session.fs.writeFileSync(PATH, 'other bytes\n')
    expect(await outcomes(workspace)).toEqual(['passed over all', 'passed over 1'])
    session.fs.writeFileSync(PATH, after)
    expect(await outcomes(workspace)).toEqual(['approved all', 'rejected 1'])
    expect(await hunks(workspace)).toEqual(['approved', 'rejected', 'approved'])
  })

  it('that a person here has rejected stay rejected, whatever the hub approves', async () => {
    const { hub, workspace } = await machine()
    const ada = await reviewerOf(hub)
    const review = await workspace.review('agent-1')
    const id = (await review.changes()).changes[0]?.hunks[1]?.id ?? ''
    await review.reject({ hunks: [id] }, 'No.')
    await ada.decideHunks('laptop.agent-1', 'approved', PATH, 1, 2)
    expect(await outcomes(workspace)).toEqual(['approved 2'])
    expect(await hunks(workspace)).toEqual(['approved', 'rejected', 'pending'])
    await ada.decide('laptop.agent-1', 'approved', PATH)
    expect(await outcomes(workspace)).toEqual(['passed over all'])
    expect(await hunks(workspace)).toEqual(['approved', 'rejected', 'pending'])
  })

  it('that the hub rejected follow it to an approval, of the hunk and of the file', async () => {
    const { hub, workspace } = await machine()
    const ada = await reviewerOf(hub)
    await ada.decideHunks('laptop.agent-1', 'rejected', PATH, 1, 2)
    await sync(workspace)
    await ada.decideHunks('laptop.agent-1', 'approved', PATH, 1)
    await sync(workspace)
    expect(await hunks(workspace)).toEqual(['approved', 'rejected', 'pending'])
    await ada.decide('laptop.agent-1', 'approved', PATH)
    await sync(workspace)
    expect(await states(workspace)).toEqual([`${PATH} approved`])
  })

  it('that several people approved name each of them, with their hunks', async () => {
    const { hub, workspace } = await machine()
    const headers = { authorization: `Bearer ${await hub.token('root', 'admin')}` }
    const rules = JSON.stringify({ approvals: 2, codeowners: null, teams: {} })
    expect((await fetch(`${hub.url}/v1/rules`, { method: 'PUT', headers, body: rules })).status).toBe(204)
    const [ada, bo, cy] = [await reviewerOf(hub), await reviewerOf(hub, 'Bo'), await reviewerOf(hub, 'Cy')]
    await ada.decideHunks('laptop.agent-1', 'approved', PATH, 1, 3)
    await bo.decideHunks('laptop.agent-1', 'approved', PATH, 2)
    await sync(workspace)
    expect(await states(workspace)).toEqual([`${PATH} pending`])
    await cy.decide('laptop.agent-1', 'approved', PATH)
    expect(await sync(workspace)).toMatchObject([{ kind: 'decided', approvers: ['Ada', 'Bo', 'Cy'] }])
    expect(await states(workspace)).toEqual([`${PATH} approved`])
    const verdicts = (await verdictsIn(workspace)).map(({ reviewer, hunks: ids }) => [reviewer?.name, ids?.length])
    expect(verdicts).toEqual([
      ['Cy', undefined],
      ['Ada', 2],
      ['Bo', 1],
    ])
    await (await workspace.review('agent-1')).commit()
    const committed = (await recordsOf(workspace)).map(metadataOf).find(({ type }) => type === 'commit')
    expect(committed).toMatchObject({ approved_by: ['Cy', 'Ada', 'Bo'] })
  })

  it('that several people approved by hunk keep the decision of a person here', async () => {
    const { hub, workspace } = await machine(({ hunks: ids = [] }) => ({
      parts: ids.map((id, index) => ({ name: `Part ${index}`, hunks: [id, 'h_0000000000000000'] })),
    }))
    const review = await workspace.review('agent-1')
    const id = (await review.changes()).changes[0]?.hunks[1]?.id ?? ''
    await review.reject({ hunks: [id] }, 'No.')
    await (await reviewerOf(hub)).decideHunks('laptop.agent-1', 'approved', PATH, 1, 2)
    await sync(workspace)
    expect(await hunks(workspace)).toEqual(['approved', 'rejected', 'pending'])
    expect((await verdictsIn(workspace)).map(({ reviewer }) => reviewer?.name)).not.toContain('Part 1')
  })

  it('that a person here has split are decided with all of their pieces', async () => {
    const hub = await serveTrial()
    const project = testWorkspace({ [PATH]: 'a\nb\nc\nd\ne\n' })
    const workspace = await project.open()
    await addRemote(workspace.root, hub.url, await hub.token('laptop', 'host'))
    const session = await startSession(workspace, 'agent-1')
    session.fs.writeFileSync(PATH, 'A\nb\nc\nd\nE\n')
    await sync(workspace)
    const review = await workspace.review('agent-1')
    const pieces = await review.split((await review.changes()).changes[0]?.hunks[0]?.id ?? '')
    expect(pieces).toHaveLength(2)
    await (await reviewerOf(hub)).decideHunks('laptop.agent-1', 'approved', PATH, 1)
    await sync(workspace)
    expect(await hunks(workspace)).toEqual(['approved', 'approved'])
  })
})

describe('a decision of the hub on hunks changes nothing if', () => {
  it.each<[string, Partial<ReceivedDecision>]>([
    ['this machine has no such hunk', { hunks: ['h_0000000000000000'] }],
    ['the change has other bytes', { key: changeKey({ path: PATH, kind: 'modify', before: null, after: null }) }],
    ['it is on another path', { path: 'src/b.ts' }],
  ])('%s', async (_, lie) => {
    const { hub, workspace } = await machine(() => lie)
    await (await reviewerOf(hub)).decideHunks('laptop.agent-1', 'approved', PATH, 1)
    expect((await outcomes(workspace)).map((each) => each.split(' ', 2).join(' '))).toEqual(['passed over'])
    expect(await hunks(workspace)).toEqual(['pending', 'pending', 'pending'])
  })

  it('one of several hunks is missing', async () => {
    const { hub, workspace } = await machine(({ hunks: ids = [] }) => ({ hunks: [...ids, 'h_0000000000000000'] }))
    await (await reviewerOf(hub)).decideHunks('laptop.agent-1', 'approved', PATH, 1, 2)
    expect(await outcomes(workspace)).toEqual(['passed over 3'])
    expect(await hunks(workspace)).toEqual(['pending', 'pending', 'pending'])
  })

  it('hunks do not show the change: a selection by hunk would select all of it', async () => {
    let ids: string[] = []
    const { hub, workspace, session } = await machine(() => ({ hunks: ids }))
    session.fs.writeFileSync('src/new.ts', 'new\n')
    await sync(workspace)
    const { changes } = await (await workspace.review('agent-1')).changes()
    ids = changes.flatMap((change) => (change.path === 'src/new.ts' ? change.hunks.map(({ id }) => id) : []))
    expect(ids).toHaveLength(1)
    await (await reviewerOf(hub)).decide('laptop.agent-1', 'approved', 'src/new.ts')
    expect(await outcomes(workspace)).toEqual(['passed over 1'])
    expect(await states(workspace)).toEqual([`${PATH} pending`, 'src/new.ts pending'])
  })
})
