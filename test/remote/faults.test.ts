import { expect, it, onTestFinished } from 'vitest'
import { RemoteSync, type SyncReport } from '../../src/remote/index.js'
import { serveTrial } from '../hub/fixtures.js'
import { failure } from '../support/workspace.js'
import { connectMachine, reviewerOf, startProxy, sync } from './kit.js'

it('treats an answer that ends early like an unavailable hub', async () => {
  const hub = await serveTrial()
  let isCut = false
  const url = await startProxy(hub, async (path, response) => {
    if (!isCut || path !== '/v1/submissions') return response
    return new Response((await response.text()).slice(0, -1), { status: 200 })
  })
  const { workspace, session } = await connectMachine(hub, 'laptop', url)
  session.fs.writeFileSync('src/a.ts', 'x\n')
  isCut = true
  expect(await failure(() => sync(workspace))).toMatchObject({ code: 'away' })
  isCut = false
  expect(await sync(workspace)).toMatchObject([{ kind: 'sent', changes: 1 }])
})

it('reports a session once, and again when it has changed', async () => {
  const hub = await serveTrial()
  const { workspace, session } = await connectMachine(hub, 'laptop')
  session.fs.writeFileSync('src/a.ts', 'x\n')
  expect(await sync(workspace)).toMatchObject([{ kind: 'sent', changes: 1 }])
  expect(await sync(workspace)).toEqual([])
  session.fs.writeFileSync('src/a.ts', 'y\n')
  expect(await sync(workspace)).toMatchObject([{ kind: 'sent', changes: 1 }])
  session.fs.writeFileSync('src/a.ts', 'x\n')
  expect(await sync(workspace)).toMatchObject([{ kind: 'sent', changes: 1 }])
})

it('sends again what a hub refused while it watches, even if nothing was staged since', async () => {
  const hub = await serveTrial()
  let refusals = 1
  const url = await startProxy(hub, async (path, response) => {
    if (path !== '/v1/submissions' || refusals-- <= 0) return response
    return Response.json({ error: { code: 'fenced', message: 'Another process has the session.' } }, { status: 409 })
  })
  const { workspace, session } = await connectMachine(hub, 'laptop', url)
  const ada = await reviewerOf(hub)
  session.fs.writeFileSync('src/a.ts', 'x\n')
  const end = new AbortController()
  onTestFinished(() => end.abort())
  const reports: SyncReport[] = []
  const syncing = new RemoteSync(workspace, (report) => {
    if (report.kind !== 'ledger') reports.push(report)
    if (report.kind === 'sent') end.abort()
  })
  await syncing.watch(end.signal)
  expect(reports).toMatchObject([{ kind: 'problem', session: 'agent-1' }, { kind: 'sent' }])
  expect(await ada.queue()).toMatchObject([{ session: 'laptop.agent-1', pending: 1 }])
})

it('ends with a hub that always has one more decision', async () => {
  const hub = await serveTrial()
  let answers = 0
  const url = await startProxy(hub, async (path, response) => {
    if (path !== '/v1/decisions') return response
    // The test ends also where the machine asks for ever.
    if (++answers > 20) return new Response('', { status: 404 })
    return Response.json({ decisions: [elsewhere(answers)], next: answers, last: answers + 1 })
  })
  const { workspace } = await connectMachine(hub, 'laptop', url)
  await sync(workspace)
  expect(answers).toBe(2)
})

it('refuses a hub that sends the same decisions again and again', async () => {
  const hub = await serveTrial()
  let answers = 0
  const url = await startProxy(hub, async (path, response) => {
    if (path !== '/v1/decisions') return response
    // The test ends also where the machine asks for ever.
    if (++answers > 20) return new Response('', { status: 404 })
    return Response.json({ decisions: [elsewhere(1)], next: 0, last: 1 })
  })
  const { workspace } = await connectMachine(hub, 'laptop', url)
  expect(await failure(() => sync(workspace))).toMatchObject({
    code: 'failed',
    message: expect.stringContaining('again'),
  })
  expect(answers).toBe(1)
})

/** A decision about another machine's session. */
function elsewhere(seq: number) {
  return { seq, session: 'desk.agent-1', key: 'k', path: 'src/a.ts', verdict: 'approved', reviewer: 'Ada' }
}
