import { StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMcpServer, type McpHost, serveMcpHttp } from '../../../src/agents/mcp/index.js'
import type { Review, Session, TraceRecord, Workspace } from '../../../src/index.js'
import { attemptsWorkspace, ATTEMPTS as TABLE } from '../../hooks/attempts.js'
import { own, type TestWorkspace } from '../../support/workspace.js'
import { type Call, callerOf, clientOn, modernCaller, modernClient, newClient, spawned } from './stand.js'

/**
 * The table of tool calls through the official client: over stdio, over HTTP and within the process, compared with
 * plain `fs`. If the table removes a file, a client of this server moves it, because the server has no tool that
 * removes.
 */
interface Deed {
  readonly intent: string | null
  readonly tool: 'write_file' | 'move_file' | 'select_active_intent'
  readonly path: string
}

const TOOL = {
  write_to_file: 'write_file',
  apply_patch: 'move_file',
  select_active_intent: 'select_active_intent',
} as const
const DEEDS: readonly Deed[] = TABLE.map((deed) => ({ ...deed, tool: TOOL[deed.tool] }))
const NEW = 'src/moved-here.ts'
const ID = 'agent'

type Outcomes = Map<string, { done: boolean; staged: string[]; denied: unknown[] }>

const nameOf = ({ tool, path, intent }: Deed) => `${tool} ${path} under ${intent}`

function argumentsOf({ tool, path }: Deed): Record<string, unknown> {
  if (tool === 'select_active_intent') return { intent_id: path }
  return tool === 'write_file' ? { path, content: 'x\n' } : { source: path, destination: NEW }
}

async function plainly(session: Session, { tool, path }: Deed): Promise<void> {
  if (tool === 'select_active_intent') await session.selectIntent(path)
  else if (tool === 'write_file') session.fs.writeFileSync(path, 'x\n')
  else session.fs.renameSync(path, NEW)
}

type Door = (session: Session) => Promise<(deed: Deed) => Promise<boolean>>

const byCall =
  (call: Call) =>
  async (deed: Deed): Promise<boolean> =>
    (await call(deed.tool, argumentsOf(deed))).isError !== true

const plain: Door = async (session) => (deed) =>
  plainly(session, deed).then(
    () => true,
    () => false,
  )

const linked: Door = async (session) => byCall(callerOf(await clientOn(session)))

async function servedOver(session: Session): Promise<string> {
  const serve: McpHost['serve'] = async ({ isModern = false } = {}) => {
    const server = createMcpServer(session, { isModern })
    return { server, connection: { sessionId: session.id, ended: Promise.resolve(), close: () => server.close() } }
  }
  const host: McpHost = {
    ...{ root: '', session: session.id, serve, watch: () => () => undefined, close: async () => undefined },
    async connect(transport) {
      const { server, connection } = await serve()
      await server.connect(transport)
      return connection
    },
  }
  const { url, close } = await serveMcpHttp(host)
  onTestFinished(close)
  return url
}

const http: Door = async (session) => {
  const url = await servedOver(session)
  const client: Client = newClient()
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return byCall(callerOf(client))
}

const modern: Door = async (session) => {
  const client = modernClient()
  await client.connect(new ModernHttp(new URL(await servedOver(session))))
  return byCall(modernCaller(client))
}

const denials = (records: readonly TraceRecord[]) =>
  records.map(own).flatMap(({ type, reason, path, words }) => (type === 'denied' ? [[reason, path, words]] : []))

const linesFrom = (place: TestWorkspace): TraceRecord[] =>
  place
    .text('.orchestration/agent_trace.jsonl')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

async function stagedBy(of: Pick<Review, 'changes'> | Pick<Session, 'changes'>): Promise<string[]> {
  return (await of.changes()).changes.map(({ path, kind }) => `${kind} ${path}`)
}

async function within(door: Door): Promise<Outcomes> {
  const place = attemptsWorkspace()
  const workspace = await place.open({ durability: 'memory' })
  const session = await workspace.session({ id: ID })
  const act = await door(session)
  const found: Outcomes = new Map()
  let seen = 0
  for (const deed of DEEDS) {
    if ((session.intent?.id ?? null) !== deed.intent) await session.selectIntent(deed.intent)
    const done = await act(deed)
    const staged = await stagedBy(session)
    await session.flush()
    const lines = linesFrom(place)
    found.set(nameOf(deed), { done, staged, denied: denials(lines.slice(seen)) })
    seen = lines.length
    await session.revert()
  }
  return found
}

/** The server is another process: a review reads its stage, and its ledger is read call by call at the end. */
async function overStdio(): Promise<Outcomes> {
  const place = attemptsWorkspace()
  const { client, call } = await spawned(place.root, '--session', ID)
  const workspace: Workspace = await place.open()
  const review = await workspace.review(ID)
  const calls: (Deed | undefined)[] = []
  const found: Outcomes = new Map()
  let intent: string | null = null
  for (const deed of DEEDS) {
    if (intent !== deed.intent) {
      await call('select_active_intent', { intent_id: deed.intent })
      calls.push(undefined)
    }
    const done = await byCall(call)(deed)
    intent = deed.tool === 'select_active_intent' && done ? deed.path : deed.intent
    const staged = await stagedBy(review)
    found.set(nameOf(deed), { done, staged, denied: [] })
    if (staged.length > 0) await review.discard()
    calls.push(deed)
  }
  await client.close()
  let from = 0
  const lines = linesFrom(place)
  const ends = lines.flatMap((line, at) => (own(line).type === 'tool_call' ? [at] : []))
  expect(ends).toHaveLength(calls.length)
  calls.forEach((deed, i) => {
    const end = ends[i] ?? from
    const outcome = deed && found.get(nameOf(deed))
    if (deed && outcome) found.set(nameOf(deed), { ...outcome, denied: denials(lines.slice(from, end)) })
    from = end
  })
  return found
}

describe('the table of tool calls, by the official client', () => {
  let measure: Outcomes = new Map()

  it('plain fs gives the reference', async () => {
    measure = await within(plain)
    const all = [...measure.values()]
    expect(all.length).toBeGreaterThan(60)
    expect(all.filter(({ done }) => done).length).toBeGreaterThan(15)
    expect(all.filter(({ denied }) => denied.length > 0).length).toBeGreaterThan(30)
  })

  it.each([
    ['within the process', () => within(linked)],
    ['over HTTP', () => within(http)],
    ['over HTTP without connections', () => within(modern)],
    ['over stdio', overStdio],
  ] as const)('%s gives the same decision, reason and record', async (_, outcomes) => {
    const through = await outcomes()
    const differing = [...measure].filter(
      ([deed, outcome]) => JSON.stringify(outcome) !== JSON.stringify(through.get(deed)),
    )
    expect(differing.map(([deed, outcome]) => ({ deed, plain: outcome, through: through.get(deed) }))).toEqual([])
  })
})
