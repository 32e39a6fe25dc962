import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { removeRepository, setRepository } from '../../src/hub/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { landedChanges } from '../../src/remote/index.js'
import { toHistoryEntry } from '../../src/trace/index.js'
import { escrowAt } from '../cli/real.js'
import { trialDatabase } from '../hub/fixtures.js'
import { approveOnHub, states, sync } from '../remote/kit.js'
import { git, initRepository } from '../support/git.js'
import { landOnce, place } from './kit.js'

/** A machine whose workspace is a clone of the repository that its hub lands on. */
async function machine(text = 'a one\na two\n') {
  const root = place()
  const remote = `${root}/remote.git`
  git(root, 'init', '-q', '--bare', '-b', 'main', remote)
  const database = await trialDatabase()
  const on = await approveOnHub(undefined, async ({ hub, project: { root: own, write } }) => {
    // Before the ledger began, also for a fast machine: git keeps whole seconds.
    initRepository(own, { date: '2020-01-01T00:00:00Z' })
    git(own, 'remote', 'add', 'origin', remote)
    git(own, 'push', '-q', 'origin', 'main')
    if (text !== 'a one\na two\n') {
      const before = git(own, 'rev-parse', 'HEAD').trim()
      write('src/a.ts', text)
      git(own, 'commit', '-q', '-a', '-m', 'By another')
      git(own, 'push', '-q', 'origin', 'main')
      git(own, 'reset', '-q', '--hard', before)
    }
    await setRepository(database, Object.assign({ url: remote, branch: 'main', directory: '', checks: [] }, hub.scope))
  })
  return { ...on, database, remote, land: () => landOnce(database, `${root}/work`) }
}

it('a machine learns what landed, and a pull removes it from the stage', async () => {
  const { workspace, project, land, remote } = await machine()
  await land()
  const commit = git(remote, 'rev-parse', 'main').trim()
  expect(git(remote, 'log', '-1', '--format=%B')).toContain(
    'Intent: INT-001\nAssisted-by: tester:m-1\nReviewed-by: Ada\n',
  )
  const landed = { session: 'agent-1', branch: 'main', commit }
  expect(await sync(workspace)).toContainEqual(Object.assign({ kind: 'landed', changes: 1 }, landed))
  expect(await landedChanges(workspace)).toMatchObject([Object.assign({ changes: [{ path: 'src/a.ts' }] }, landed)])
  expect(project.text('src/a.ts')).toBe('a one\na two\n')
  git(project.root, 'pull', '-q', 'origin', 'main')
  expect(project.text('src/a.ts')).toBe('reviewed\n')
  expect(await states(workspace)).toEqual([])
  expect(await landedChanges(workspace)).toEqual([])
  expect((await sync(workspace)).filter(({ kind }) => kind === 'landed')).toEqual([])
})

it('status leaves approved changes to the hub, as long as it lands them', async () => {
  const { workspace, hub, database } = await machine()
  await sync(workspace)
  const waiting = await escrowAt(workspace.root, ['status'])
  expect(waiting.out).toContain('1 approved change for the hub to land on main  escrow remote sync\n')
  expect(waiting.out).not.toContain('escrow commit')
  await removeRepository(database, hub.scope)
  await sync(workspace)
  expect((await escrowAt(workspace.root, ['status'])).out).toContain(
    '1 approved change to commit  escrow commit agent-1\n',
  )
})

it('the ledger says who wrote and approved what landed, before and after the pull', async () => {
  const { workspace, project, land, remote } = await machine()
  await land()
  await sync(workspace)
  const commit = git(remote, 'rev-parse', 'main').trim()
  const before = await workspace.ledger.blame('src/a.ts')
  expect(before.map(({ contributor }) => contributor)).toEqual(['unknown', 'unknown'])
  git(project.root, 'pull', '-q', 'origin', 'main')
  expect(await workspace.ledger.blame('src/a.ts')).toMatchObject([
    { line: 1, contributor: 'ai', model: 'm-1', intentId: 'INT-001', sessionId: 'agent-1', approvedBy: 'Ada' },
  ])
  const landed = []
  for await (const record of workspace.ledger.records())
    if (toHistoryEntry(record).what === 'landed') landed.push(toHistoryEntry(record))
  expect(landed).toMatchObject([{ about: ['src/a.ts'], sessionId: 'agent-1', why: `on main as ${commit}` }])
  expect(landed[0]).not.toHaveProperty('tx')
  expect(await workspace.ledger.verify()).toMatchObject({ ok: true })
})

it('a landing that is received twice is recorded once', async () => {
  const { workspace, land } = await machine()
  await land()
  const seenFile = join(layoutAt(realpathSync(workspace.root)).state, 'remote-seen.json')
  const { since } = JSON.parse(readFileSync(seenFile, 'utf8'))
  await sync(workspace)
  const count = async () => {
    let lines = 0
    for await (const record of workspace.ledger.records()) if (toHistoryEntry(record).what === 'landed') lines++
    return lines
  }
  expect(await count()).toBe(1)
  // The state after a crash before the position in the hub's list was saved.
  writeFileSync(seenFile, JSON.stringify(Object.assign({}, JSON.parse(readFileSync(seenFile, 'utf8')), { since })))
  expect(await sync(workspace)).toContainEqual(expect.objectContaining({ kind: 'landed' }))
  expect(await count()).toBe(1)
})

it('an agent gets the reason of an eviction, and its next version is reviewed again', async () => {
  const { ada, workspace, session, land } = await machine('a one\na two by another\n')
  await land()
  const reports = await sync(workspace)
  expect(reports).toContainEqual(expect.objectContaining({ kind: 'evicted', session: 'agent-1', path: 'src/a.ts' }))
  expect(await states(workspace)).toEqual(['src/a.ts rejected'])
  expect(JSON.stringify(await session.feedback())).toContain('+a two by another')
  // Its next version is reviewed again.
  await vi.waitFor(() => session.fs.writeFileSync('src/a.ts', 'a one\na two by another\nreviewed again\n'))
  await sync(workspace)
  expect(await states(workspace)).toEqual(['src/a.ts pending'])
  expect(await ada.queue()).toMatchObject([{ session: 'laptop.agent-1', pending: 1 }])
})

it('evicted content stays rejected if the agent returns to it, although a reviewer had approved it', async () => {
  const { workspace, session, land } = await machine('a one\na two by another\n')
  await land()
  session.fs.writeFileSync('src/a.ts', 'other bytes\n')
  // The approval and the eviction arrive together, while the session has other bytes.
  await sync(workspace)
  expect(await states(workspace)).toEqual(['src/a.ts pending'])
  session.fs.writeFileSync('src/a.ts', 'reviewed\n')
  await sync(workspace)
  expect(await states(workspace)).toEqual(['src/a.ts rejected'])
})
