import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { openWorkspace, type Workspace, type WorkspaceNews } from '../../src/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { classCache } from '../../src/stage/index.js'
import { scene } from '../attacks/kit.js'
import { stateOf } from '../support/state.js'

/** Collects the events since the last call. */
function listen(workspace: Workspace) {
  const events: WorkspaceNews[] = []
  const stop = workspace.watch((news) => events.push(news))
  const waitFor = (wanted: Partial<WorkspaceNews>) =>
    vi.waitFor(() => expect(events).toContainEqual(expect.objectContaining(wanted)), { timeout: 30_000, interval: 10 })
  return { waitFor, stop, events: () => events, forget: () => void events.splice(0) }
}

it('reports stages, verdicts and commits of any process, by session', async () => {
  const { root, at, open, agent } = scene({ 'src/a.ts': 'x' })
  const watching = await openWorkspace(root)
  const { waitFor, forget } = listen(watching)
  const workspace = await open()
  const session = await agent(workspace)
  await waitFor({ sessions: ['one'] })
  forget()
  session.fs.writeFileSync(at('src/a.ts'), 'y')
  await waitFor({ sessions: ['one'] })
  forget()
  const review = await workspace.review('one')
  await review.approve()
  await waitFor({ sessions: ['one'] })
  forget()
  await review.commit()
  await waitFor({ ledger: true })
  await workspace.close()
  await watching.close()
})

it('reports intents and policy, also when their files are replaced, and a removed session', async () => {
  const { root, at, open, agent } = scene({ 'src/a.ts': 'x' })
  const workspace = await open()
  await agent(workspace)
  await workspace.close()
  const watching = await openWorkspace(root)
  const { waitFor, forget } = listen(watching)
  writeFileSync(at('.orchestration/new.yaml'), 'limits: {files: 3}\n')
  renameSync(at('.orchestration/new.yaml'), at('.orchestration/policy.yaml'))
  await waitFor({ policy: true, intents: false })
  forget()
  writeFileSync(at('.orchestration/active_intents.yaml'), 'active_intents: []\n')
  await waitFor({ intents: true })
  forget()
  rmSync(`${stateOf(root)}/sessions`, { recursive: true })
  await waitFor({ sessions: ['one'] })
  await watching.close()
})

it('reports known classes with no session, so that no agent gets them', async () => {
  const { root } = scene({ 'src/a.ts': 'x' })
  const watching = await openWorkspace(root)
  const { waitFor, events } = listen(watching)
  const cache = classCache(layoutAt(root))
  cache.set('a b src/a.ts', { class: 'AST_REFACTOR', rule: 'layout', detail: '' })
  await waitFor({ classes: true })
  expect(events()).toEqual([{ sessions: [], ledger: false, intents: false, policy: false, classes: true }])
  await watching.close()
})

it('reports nothing for irrelevant files, and nothing after it ends', async () => {
  const { root, at } = scene({ 'src/a.ts': 'x' })
  const watching = await openWorkspace(root)
  const one = listen(watching)
  const two = listen(watching)
  writeFileSync(at('.orchestration/notes.txt'), 'x')
  writeFileSync(at('src/a.ts'), 'y')
  one.stop()
  writeFileSync(at('.orchestration/policy.yaml'), '{}\n')
  await two.waitFor({ policy: true })
  expect(one.events()).toEqual([])
  expect(two.events()).toEqual([{ sessions: [], ledger: false, intents: false, policy: true, classes: false }])
  await watching.close()
  two.forget()
  writeFileSync(at('.orchestration/policy.yaml'), 'claims: warn\n')
  const after = await openWorkspace(root)
  const three = listen(after)
  rmSync(at('.orchestration/policy.yaml'))
  await three.waitFor({ policy: true })
  expect(two.events()).toEqual([])
  await after.close()
})

it('works in a directory that is not a workspace yet', async () => {
  const { root, at } = scene({})
  rmSync(at('.orchestration'), { recursive: true })
  const watching = await openWorkspace(root)
  const { waitFor } = listen(watching)
  const { initWorkspace } = await import('../../src/index.js')
  await initWorkspace(root)
  await waitFor({ intents: true, policy: true })
  await watching.close()
})
