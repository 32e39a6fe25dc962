import { describe, expect, it } from 'vitest'
import { digest } from '../../overlay/index.js'
import { changeKey } from '../../src/hub/index.js'
import { EscrowError, type Workspace } from '../../src/index.js'
import { recordAlike, recordDecision } from '../../src/remote/incoming.js'
import { escrowAt } from '../cli/real.js'
import { serveTrial } from '../hub/fixtures.js'
import { metadataOf, recordsOf } from '../support/workspace.js'
import { approveOnHub, connectMachine, reviewerOf, states, sync } from './kit.js'

/** The verdicts in the ledger of a workspace. */
async function verdictsIn(workspace: Workspace) {
  return (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'verdict')
}

describe('a decision of the hub changes nothing if it', () => {
  it('has an unknown key', async () => {
    const { workspace } = await approveOnHub(() => ({ key: digest('forged') }))
    expect(await sync(workspace)).toContainEqual({
      ...{ kind: 'decided', session: 'agent-1', path: 'src/a.ts', outcome: 'passed over', reviewer: 'Ada' },
    })
    expect(await states(workspace)).toEqual(['src/a.ts pending'])
    expect(await verdictsIn(workspace)).toEqual([])
  })

  it('names another path than the change with its key', async () => {
    const { workspace, session } = await approveOnHub(() => ({ path: 'src/b.ts' }))
    session.fs.writeFileSync('src/b.ts', 'not reviewed\n')
    expect(await sync(workspace)).toContainEqual({
      ...{ kind: 'decided', session: 'agent-1', path: 'src/b.ts', outcome: 'passed over', reviewer: 'Ada' },
    })
    expect(await states(workspace)).toEqual(['src/a.ts pending', 'src/b.ts pending'])
    expect(await verdictsIn(workspace)).toEqual([])
  })

  it('names an unknown session, or one of another machine', async () => {
    for (const session of ['laptop.agent-2', 'desk.agent-1', 'agent-1']) {
      const { workspace } = await approveOnHub(() => ({ session }))
      const outcomes = (await sync(workspace)).filter(({ kind }) => kind === 'decided')
      expect(outcomes).toMatchObject(session === 'laptop.agent-2' ? [{ outcome: 'passed over' }] : [])
      expect(await states(workspace)).toEqual(['src/a.ts pending'])
      expect(await verdictsIn(workspace)).toEqual([])
    }
  })

  it('is about a path with two changes, because a selection by path would select both', async () => {
    const hub = await serveTrial()
    const { workspace, session } = await connectMachine(hub)
    const ada = await reviewerOf(hub)
    session.fs.unlinkSync('src/a.ts')
    session.fs.mkdirSync('src/a.ts')
    await sync(workspace)
    expect((await ada.open('laptop.agent-1')).changes.map(({ kind }) => kind)).toEqual(['delete', 'mkdir'])
    await ada.decide('laptop.agent-1', 'approved', 'src/a.ts')
    const outcomes = (await sync(workspace)).filter(({ kind }) => kind === 'decided')
    expect(outcomes).toMatchObject([{ outcome: 'passed over' }, { outcome: 'passed over' }])
    expect(await states(workspace)).toEqual(['src/a.ts pending', 'src/a.ts pending'])
    expect(await verdictsIn(workspace)).toEqual([])
  })
})

it('a rejection by the hub applies to bytes that return after other ones', async () => {
  const { workspace, session, ada } = await approveOnHub()
  await sync(workspace)
  expect(await states(workspace)).toEqual(['src/a.ts approved'])
  await ada.decide('laptop.agent-1', 'rejected', 'src/a.ts')
  session.fs.writeFileSync('src/a.ts', 'other bytes\n')
  await sync(workspace)
  session.fs.writeFileSync('src/a.ts', 'reviewed\n')
  await sync(workspace)
  expect(await states(workspace)).toEqual(['src/a.ts rejected'])
})

type Machine = Awaited<ReturnType<typeof approveOnHub>>

/** A workspace that changes after each read of a session's changes, before a verdict on them. */
function changingAfterLook(workspace: Workspace, change: () => void): Workspace {
  return Object.assign(Object.create(workspace), {
    sessions: () => workspace.sessions(),
    async review(id: string) {
      const review = await workspace.review(id)
      return Object.assign({}, review, {
        async changes() {
          const set = await review.changes()
          change()
          return set
        },
      })
    },
  })
}

describe('a decision is not recorded if', () => {
  it.each<[string, 'approved' | 'rejected', (at: Machine) => void]>([
    ['the agent writes', 'approved', ({ session }) => session.fs.writeFileSync('src/a.ts', 'newer\n')],
    ['the agent writes', 'rejected', ({ session }) => session.fs.writeFileSync('src/a.ts', 'newer\n')],
    ['the file on disk changes', 'approved', ({ project }) => project.write('src/a.ts', 'newer\n')],
  ])('%s between the read and the verdict (%s)', async (_, verdict, act) => {
    const at = await approveOnHub()
    const [change] = (await at.ada.open('laptop.agent-1')).changes
    const decision = { seq: 1, session: 'laptop.agent-1', path: 'src/a.ts', reviewer: 'Ada', reason: 'No.' }
    const moving = changingAfterLook(at.workspace, () => act(at))
    const received = Object.assign(decision, { key: change?.key ?? '', verdict })
    expect(await recordDecision(moving, 'agent-1', received, [])).toBe('other bytes')
    expect(await states(at.workspace)).toEqual(['src/a.ts pending'])
    expect(await verdictsIn(at.workspace)).toEqual([])
  })
})

it('a decision is recorded for each person who approved, and the commit names all of them', async () => {
  const hub = await serveTrial()
  const { workspace, session } = await connectMachine(hub)
  const headers = { authorization: `Bearer ${await hub.token('root', 'admin')}` }
  const rules = JSON.stringify({ approvals: 2, codeowners: null, teams: {} })
  expect((await fetch(`${hub.url}/v1/rules`, { method: 'PUT', headers, body: rules })).status).toBe(204)
  const [ada, bo] = [await reviewerOf(hub, 'Ada'), await reviewerOf(hub, 'Bo')]
  session.fs.writeFileSync('src/a.ts', 'reviewed\n')
  await sync(workspace)
  await ada.decide('laptop.agent-1', 'approved', 'src/a.ts')
  await sync(workspace)
  expect(await states(workspace)).toEqual(['src/a.ts pending'])
  await bo.decide('laptop.agent-1', 'approved', 'src/a.ts')
  await sync(workspace)
  expect(await states(workspace)).toEqual(['src/a.ts approved'])
  await (await workspace.review('agent-1')).commit()
  const records = (await recordsOf(workspace)).map(metadataOf)
  expect(records.find(({ type }) => type === 'commit')).toMatchObject({ approved_by: ['Ada', 'Bo'] })
  expect((await verdictsIn(workspace)).map(({ reviewer }) => reviewer)).toMatchObject([{ name: 'Ada' }, { name: 'Bo' }])
})

it('a decision names only the reviewer if the hub is of an earlier version', async () => {
  const { workspace } = await approveOnHub(() => ({ approvers: undefined }))
  await sync(workspace)
  expect(await states(workspace)).toEqual(['src/a.ts approved'])
  expect(await verdictsIn(workspace)).toMatchObject([{ reviewer: { name: 'Ada' } }])
})

it('remote sync names everybody who approved, and decisions without an effect here', async () => {
  const { workspace, session, ada } = await approveOnHub(() => ({ approvers: ['Bo', 'Ada'] }))
  const { out } = await escrowAt(workspace.root, ['remote', 'sync'])
  expect(out).toContain('approved  agent-1: src/a.ts, by Bo, Ada\n')
  session.fs.writeFileSync('src/a.ts', 'next\n')
  await sync(workspace)
  await ada.decide('laptop.agent-1', 'rejected', 'src/a.ts')
  session.fs.writeFileSync('src/a.ts', 'newer\n')
  expect((await escrowAt(workspace.root, ['remote', 'sync'])).out).toContain(
    'not applied  agent-1: src/a.ts, by Ada: changed or decided here since\n',
  )
  await (await workspace.review('agent-1')).discard()
  expect((await escrowAt(workspace.root, ['remote', 'sync'])).out).toContain(
    'sent  agent-1: nothing is staged any more\n',
  )
})

describe('decisions on many files', () => {
  it('of one person are one verdict, with an outcome for each', async () => {
    const hub = await serveTrial()
    const { workspace, session } = await connectMachine(hub)
    const ada = await reviewerOf(hub)
    const paths = ['src/a.ts', 'src/b.ts', 'src/c.ts', 'src/d.ts']
    for (const path of paths) session.fs.writeFileSync(path, `${path}\n`)
    await sync(workspace)
    await ada.decide('laptop.agent-1', 'approved', ...paths)
    session.fs.writeFileSync('src/c.ts', 'other bytes\n')
    const local = await workspace.review('agent-1')
    await local.reject('src/d.ts', 'No.', { name: 'Bo' })
    const outcomes = (await sync(workspace)).flatMap((each) =>
      each.kind === 'decided' ? [`${each.path} ${each.outcome}`] : [],
    )
    expect(outcomes.sort()).toEqual([
      'src/a.ts approved',
      'src/b.ts approved',
      'src/c.ts passed over',
      'src/d.ts passed over',
    ])
    expect((await verdictsIn(workspace)).map(({ verdict, paths: of }) => [verdict, of])).toEqual([
      ['rejected', ['src/d.ts']],
      ['approved', ['src/a.ts', 'src/b.ts']],
    ])
    // The decision waits for its bytes.
    session.fs.writeFileSync('src/c.ts', 'src/c.ts\n')
    await sync(workspace)
    expect(await states(workspace)).toContain('src/c.ts approved')
  })

  it('are on other bytes if the agent discards the file while they are recorded', async () => {
    const { workspace, decision } = await unrecorded()
    const gone = Object.assign(Object.create(workspace), {
      review: async (id: string) => {
        const review = await workspace.review(id)
        const approve = async () => {
          throw new EscrowError('nothing_selected', 'No staged change matches.')
        }
        return Object.assign({}, review, { approve })
      },
      sessions: () => workspace.sessions(),
    })
    expect(await recordDecision(gone, 'agent-1', decision, [])).toBe('other bytes')
    expect(await recordAlike(gone, 'agent-1', [decision], [])).toEqual(['other bytes'])
  })
})

it('decisions of two people on many files name both for each file, although the agent writes one in between', async () => {
  const hub = await serveTrial()
  const { workspace, session } = await connectMachine(hub)
  const paths = ['src/a.ts', 'src/b.ts', 'src/c.ts']
  for (const path of paths) session.fs.writeFileSync(path, `${path}\n`)
  const { changes } = await (await workspace.review('agent-1')).changes()
  const [first, ...others] = changes.map((change) =>
    Object.assign(
      { seq: 1, session: 'laptop.agent-1', verdict: 'approved' as const, reviewer: 'Bo', approvers: ['Ada'] },
      { key: changeKey(Object.assign({ risk: 0 }, change)), path: change.path },
    ),
  )
  if (first === undefined) throw new Error('Nothing is staged.')
  const busy = Object.assign(Object.create(workspace), {
    sessions: () => workspace.sessions(),
    review: async (id: string) => {
      const review = await workspace.review(id)
      const approve: typeof review.approve = async (...args) => {
        const verdict = await review.approve(...args)
        session.fs.writeFileSync('src/c.ts', 'other bytes\n')
        return verdict
      }
      return Object.assign(Object.create(review), { approve, changes: () => review.changes() })
    },
  })
  expect(await recordAlike(busy, 'agent-1', [first, ...others], [])).toEqual(['approved', 'approved', 'other bytes'])
  const approvers = (path: string) =>
    verdictsIn(workspace).then((all) =>
      all.filter(({ paths: of }) => String(of).split(',').includes(path)).map(({ reviewer }) => Object(reviewer).name),
    )
  expect(new Set(await approvers('src/a.ts'))).toEqual(new Set(['Ada', 'Bo']))
  expect(new Set(await approvers('src/b.ts'))).toEqual(new Set(['Ada', 'Bo']))
})

/** A machine with a staged change, and a decision on it that was not received. */
async function unrecorded() {
  const { workspace, session } = await connectMachine(await serveTrial())
  session.fs.writeFileSync('src/a.ts', 'x\n')
  const [change] = (await (await workspace.review('agent-1')).changes()).changes
  if (change === undefined) throw new Error('Nothing is staged.')
  const key = changeKey(Object.assign({ risk: 0 }, change))
  const decision = {
    seq: 1,
    session: 'laptop.agent-1',
    key,
    path: 'src/a.ts',
    verdict: 'approved',
    reviewer: 'Ada',
  } as const
  return { workspace, decision }
}
