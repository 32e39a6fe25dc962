import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStores } from '../../src/hub/index.js'
import type { Workspace } from '../../src/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { RemoteSync, type SyncReport } from '../../src/remote/index.js'
import { openLedger } from '../../src/trace/ledger.js'
import { serveTrial, trialDatabase } from '../hub/fixtures.js'
import { failure } from '../support/workspace.js'
import { drafts } from '../trace/support.js'
import { awaitReports, connectMachine, reviewerOf, startProxy, states } from './kit.js'

type Hub = Awaited<ReturnType<typeof serveTrial>>

const layoutOf = ({ root }: Workspace) => layoutAt(root)
const fileOf = (workspace: Workspace) => `${layoutOf(workspace).ledgerFile}`
const textOf = (workspace: Workspace) => readFileSync(fileOf(workspace), 'utf8')
const addLines = (workspace: Workspace, count: number) => openLedger(layoutOf(workspace)).append(drafts(count))

async function syncAll(workspace: Workspace): Promise<SyncReport[]> {
  const reports: SyncReport[] = []
  await new RemoteSync(workspace, (report) => reports.push(report)).once()
  return reports
}

/** The lines that the hub has of a machine's ledger. */
async function onHub(hub: Hub, machine = 'laptop'): Promise<string> {
  const { machines } = openStores(await trialDatabase(), hub.scope)
  if ((await machines.head(machine)).lines === 0) return ''
  let text = ''
  for await (const page of machines.read(machine, 0)) text += page.toString()
  return text
}

/** A connected machine. @param answer replaces the hub's answer to a batch, by the batch's number */
async function machine(answer: (number: number, response: Response) => Promise<Response> | Response) {
  const hub = await serveTrial()
  let batches = 0
  const url = await startProxy(hub, async (path, response, method) =>
    path === '/v1/ledger' && method === 'POST' ? answer(++batches, response) : response,
  )
  return { hub, batches: () => batches, ...(await connectMachine(hub, 'laptop', url)) }
}

const asItIs = (_: number, response: Response) => response

/** Replaces the ledger's bytes until the test ends. */
function replaceLedger(workspace: Workspace, text: string): void {
  const before = textOf(workspace)
  writeFileSync(fileOf(workspace), text)
  onTestFinished(() => writeFileSync(fileOf(workspace), before))
}

describe("a machine's ledger", () => {
  it('is sent to the hub line by line, only the new lines, and once', async () => {
    const { hub, workspace, session, batches } = await machine(asItIs)
    const lines = textOf(workspace).split('\n').length - 1
    expect(await syncAll(workspace)).toEqual([{ kind: 'ledger', lines }])
    expect(await onHub(hub)).toBe(textOf(workspace))
    expect([await syncAll(workspace), batches()]).toEqual([[], 1])
    session.fs.writeFileSync('src/a.ts', 'x\n')
    await addLines(workspace, 2_500)
    expect((await syncAll(workspace)).at(-1)).toEqual({ kind: 'ledger', lines: 2_500 })
    expect(batches()).toBe(4)
    expect((await onHub(hub)) === textOf(workspace)).toBe(true)
    expect([(await syncAll(workspace)).filter(({ kind }) => kind === 'ledger'), batches()]).toEqual([[], 4])
  })

  it.each([
    ['the hub is unavailable', () => new Response('', { status: 502 })],
    ['an answer was cut off', async (response: Response) => new Response((await response.text()).slice(0, -1))],
  ] as const)("continues from the hub's last line after a stop because %s", async (_, fault) => {
    const { hub, workspace, batches } = await machine((number, response) => (number === 2 ? fault(response) : response))
    await addLines(workspace, 2_500)
    expect(await failure(() => syncAll(workspace))).toMatchObject({ code: 'away' })
    expect((await onHub(hub)).split('\n').length - 1).toBe(2_000)
    await syncAll(workspace)
    expect(batches()).toBe(3)
    expect((await onHub(hub)) === textOf(workspace)).toBe(true)
  })

  it('is sent once by two processes', async () => {
    const { hub, workspace } = await machine(asItIs)
    await addLines(workspace, 1_500)
    await Promise.all([syncAll(workspace), syncAll(workspace), syncAll(workspace)])
    expect((await onHub(hub)) === textOf(workspace)).toBe(true)
  })

  it.each([
    ['cut', (lines: string[]) => lines.slice(0, -3)],
    ['cut to nothing', () => []],
    ['rewritten', (lines: string[]) => [...lines.slice(0, -2), ...lines.slice(-1)]],
  ])('that was %s is not sent, and the rest is', async (_, change) => {
    const { hub, workspace, session } = await machine(asItIs)
    await addLines(workspace, 5)
    await syncAll(workspace)
    const before = await onHub(hub)
    const ada = await reviewerOf(hub)
    session.fs.writeFileSync('src/a.ts', 'x\n')
    replaceLedger(
      workspace,
      change(before.split('\n').slice(0, -1))
        .map((line) => `${line}\n`)
        .join(''),
    )
    const { reason } = await failure(() => syncAll(workspace))
    expect(['ledger_corrupt', 'ledger_fork']).toContain(reason)
    expect(await onHub(hub)).toBe(before)
    expect(await ada.queue()).toMatchObject([{ session: 'laptop.agent-1' }])
  })

  it('of another branch or a new one is not sent, although it is valid, and the message explains it', async () => {
    const { hub, workspace, batches } = await machine(asItIs)
    await syncAll(workspace)
    const [before, sent] = [await onHub(hub), batches()]
    const layout = layoutOf(workspace)
    const old = textOf(workspace)
    rmSync(fileOf(workspace))
    rmSync(layout.ledgerDir, { recursive: true, force: true })
    await openLedger(layout).append(drafts(40))
    await openLedger(layout).anchor()
    expect((await openLedger(layout).verify()).ok).toBe(true)
    const { reason, message } = await failure(() => syncAll(workspace))
    expect(reason).toBe('ledger_fork')
    expect(message).toMatch(/does not continue the \d+ lines that the hub has of it/)
    expect([await onHub(hub), batches()]).toEqual([before, sent])
    writeFileSync(fileOf(workspace), old)
    await openLedger(layout).anchor()
    expect(await syncAll(workspace)).toEqual([])
  })

  it('that is not verified is not sent', async () => {
    const { hub, workspace, batches } = await machine(asItIs)
    await addLines(workspace, 30)
    replaceLedger(workspace, textOf(workspace).replace('"tool_call"', '"tool_cull"'))
    expect(await failure(() => syncAll(workspace))).toMatchObject({ reason: 'ledger_corrupt' })
    expect([await onHub(hub), batches()]).toEqual(['', 0])
  })

  it('is sent up to a line that is too long', async () => {
    const { hub, workspace } = await machine(asItIs)
    const before = textOf(workspace)
    replaceLedger(workspace, before)
    appendFileSync(fileOf(workspace), `{"a":"${'x'.repeat(8 * 1024 * 1024)}"}\n{"b":1}\n`)
    const { reason, message } = await failure(() => syncAll(workspace))
    expect([reason, message]).toEqual(['limit_exceeded', expect.stringContaining('Line 2 of the ledger')])
    expect(await onHub(hub)).toBe(before)
  })

  it('is not stored by a hub of an earlier version, and the sync continues', async () => {
    const hub = await serveTrial()
    const url = await startProxy(hub, async (path, response) =>
      path === '/v1/ledger'
        ? Response.json({ error: { code: 'not_found', message: 'Nothing is here.' } }, { status: 404 })
        : response,
    )
    const { workspace, session } = await connectMachine(hub, 'laptop', url)
    session.fs.writeFileSync('src/a.ts', 'x\n')
    expect(await syncAll(workspace)).toMatchObject([
      { kind: 'sent' },
      { kind: 'problem', message: expect.stringContaining('earlier version') },
    ])
  })

  it('is sent while a sync watches, which an error of the ledger does not end', async () => {
    const { hub, workspace, session } = await machine(asItIs)
    const ada = await reviewerOf(hub)
    const end = new AbortController()
    const { report: wake, next } = awaitReports()
    const problems: SyncReport[] = []
    const syncing = new RemoteSync(workspace, (report) => {
      if (report.kind === 'problem') problems.push(report)
      wake(report)
    })
    const first = next('ledger')
    const running = syncing.watch(end.signal)
    await first
    const second = next('ledger')
    await addLines(workspace, 3)
    await second
    expect(await onHub(hub)).toBe(textOf(workspace))
    const problem = next('problem')
    replaceLedger(workspace, textOf(workspace).split('\n').slice(0, 2).join('\n').concat('\n'))
    await problem
    const sent = next('sent')
    session.fs.writeFileSync('src/a.ts', 'x\n')
    await sent
    const decided = next('decided')
    await ada.decide('laptop.agent-1', 'approved', 'src/a.ts')
    await decided
    end.abort()
    await running
    expect([problems.length, await states(workspace)]).toEqual([1, ['src/a.ts approved']])
  })
})
