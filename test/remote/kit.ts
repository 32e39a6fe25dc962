import { expect } from 'vitest'
import type { SubmissionDetails, SubmissionSummary } from '../../src/hub/index.js'
import type { Workspace } from '../../src/index.js'
import type { ReceivedDecision } from '../../src/remote/hub-client.js'
import { addRemote, RemoteSync, type SyncReport } from '../../src/remote/index.js'
import { diffFile } from '../../src/review/index.js'
import { serveTrial } from '../hub/fixtures.js'
import { serveFetch } from '../support/serve-fetch.js'
import { startSession, testWorkspace } from '../support/workspace.js'

type Hub = Awaited<ReturnType<typeof serveTrial>>

/**
 * A workspace of a machine, connected with the hub.
 * @param url another address of it
 */
export async function connectMachine(hub: Hub, name = 'laptop', url = hub.url) {
  const project = testWorkspace()
  const workspace = await project.open()
  await addRemote(workspace.root, url, await hub.token(name, 'host'))
  const session = await startSession(workspace, 'agent-1')
  return { project, workspace, session }
}

/** Another address of the hub. @param change replaces the hub's answer */
export function startProxy(
  hub: Hub,
  change: (path: string, response: Response, method: string) => Promise<Response>,
): Promise<string> {
  return serveFetch(async (request) => {
    const { pathname, search } = new URL(request.url)
    const { method, headers } = request
    const body = method === 'GET' ? null : await request.arrayBuffer()
    const { authorization = '' } = Object.fromEntries(headers)
    const response = await fetch(`${hub.url}${pathname}${search}`, { method, headers: { authorization }, body })
    return change(pathname, response, method)
  })
}

/** Another address of the hub. @param lie replaces each decision */
export function lyingHub(hub: Hub, lie: (decision: ReceivedDecision) => Partial<ReceivedDecision>): Promise<string> {
  return startProxy(hub, async (path, response) => {
    if (path !== '/v1/decisions') return response
    const answer: { decisions: ReceivedDecision[] } = await response.json()
    const decisions = answer.decisions.map((decision) => Object.assign({}, decision, lie(decision)))
    return Response.json(Object.assign({}, answer, { decisions }))
  })
}

/**
 * A change of src/a.ts on a machine. Ada has approved it on the hub, which the machine does not know yet.
 * @param lie replaces the hub's decision
 * @param prepare called before the agent writes
 */
export async function approveOnHub(
  lie?: (decision: ReceivedDecision) => Partial<ReceivedDecision>,
  prepare: (on: { hub: Hub } & Awaited<ReturnType<typeof connectMachine>>) => Promise<void> = async () => undefined,
) {
  const hub = await serveTrial()
  const machine = await connectMachine(hub, 'laptop', lie && (await lyingHub(hub, lie)))
  await prepare(Object.assign({ hub }, machine))
  const ada = await reviewerOf(hub)
  machine.session.fs.writeFileSync('src/a.ts', 'reviewed\n')
  await sync(machine.workspace)
  await ada.decide('laptop.agent-1', 'approved', 'src/a.ts')
  return { hub, ada, ...machine }
}

/** Sends and receives once. @returns the reports, except those about the ledger */
export async function sync(workspace: Workspace): Promise<SyncReport[]> {
  const reports: SyncReport[] = []
  await new RemoteSync(workspace, (report) => reports.push(report)).once()
  return reports.filter(({ kind }) => kind !== 'ledger')
}

/** Lets a test wait for the reports of a sync that watches. */
export function awaitReports() {
  const waiting = new Map<string, () => void>()
  return {
    report: ({ kind }: SyncReport) => waiting.get(kind)?.(),
    next: (kind: SyncReport['kind']) => new Promise<void>((resolve) => waiting.set(kind, resolve)),
  }
}

/** A reviewer at the hub. */
export async function reviewerOf(hub: Hub, name = 'Ada') {
  const headers = { authorization: `Bearer ${await hub.token(name, 'reviewer')}` }
  const read = async (path: string) => (await fetch(`${hub.url}/v1${path}`, { headers })).json()
  const queue = async (): Promise<SubmissionSummary[]> => read('/queue')
  const open = async (session: string): Promise<SubmissionDetails> => {
    const found = (await queue()).find((each) => each.session === session)
    return read(`/queue/${found?.id}`)
  }
  const ask = async (session: string, verdict: 'approved' | 'rejected', ...paths: string[]) => {
    const { id, changes } = await open(session)
    const keys = changes.filter(({ path }) => paths.includes(path)).map(({ key }) => key)
    const body = JSON.stringify({ keys, verdict, reason: 'Not like this.' })
    return fetch(`${hub.url}/v1/queue/${id}/decisions`, { method: 'POST', headers, body })
  }
  const decide = async (...decision: Parameters<typeof ask>) => expect((await ask(...decision)).status).toBe(204)
  /** @param hunks the numbers of hunks of a path, from 1, as the hub computes them */
  const decideHunks = async (session: string, verdict: 'approved' | 'rejected', path: string, ...hunks: number[]) => {
    const { id, changes } = await open(session)
    const change = changes.find((each) => each.path === path)
    const [before, after] = [await content(change?.shown?.before ?? ''), await content(change?.shown?.after ?? '')]
    const known = diffFile(Buffer.from(before), Buffer.from(after), path).hunks
    const ids = hunks.map((number) => known[number - 1]?.id)
    const body = JSON.stringify({ keys: [], hunks: [{ key: change?.key, ids }], verdict, reason: 'Not like this.' })
    expect((await fetch(`${hub.url}/v1/queue/${id}/decisions`, { method: 'POST', headers, body })).status).toBe(204)
  }
  const content = async (digest: string) => (await fetch(`${hub.url}/v1/contents/${digest}`, { headers })).text()
  return { queue, open, ask, decide, decideHunks, content }
}

export const states = async (workspace: Workspace) =>
  (await (await workspace.review('agent-1')).changes()).changes.map(({ path, state }) => `${path} ${state}`)
