import { StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMcpServer, type McpHost, serveMcpHttp } from '../../../src/agents/mcp/index.js'
import type { Review, Session, TraceRecord, Workspace } from '../../../src/index.js'
import { attemptsWorkspace, ATTEMPTS as TABLE } from '../../hooks/attempts.js'
import { metadataOf, type TestWorkspace } from '../../support/workspace.js'
import { type Call, callerOf, clientOn, modernCaller, modernClient, newClient, spawnServer } from './fixture.js'

/**
 * The table of tool calls through the official client: over stdio, over HTTP and within the process, compared with
 * plain `fs`. If the table removes a file, a client of this server moves it, because the server has no tool that
 * removes.
 */
interface Attempt {
  readonly intent: string | null
  readonly tool: 'write_file' | 'move_file' | 'select_active_intent'
  readonly path: string
}

const TOOL = {
  write_to_file: 'write_file',
  apply_patch: 'move_file',
  select_active_intent: 'select_active_intent',
} as const
const MCP_ATTEMPTS: readonly Attempt[] = TABLE.map((attempt) => ({ ...attempt, tool: TOOL[attempt.tool] }))
const NEW = 'src/moved-here.ts'
const ID = 'agent'

type Outcomes = Map<string, { done: boolean; staged: string[]; denied: unknown[] }>

const nameOf = ({ tool, path, intent }: Attempt) => `${tool} ${path} under ${intent}`

function argumentsOf({ tool, path }: Attempt): Record<string, unknown> {
  if (tool === 'select_active_intent') return { intent_id: path }
  return tool === 'write_file' ? { path, content: 'x\n' } : { source: path, destination: NEW }
}

async function applyTo(session: Session, { tool, path }: Attempt): Promise<void> {
  if (tool === 'select_active_intent') await session.selectIntent(path)
  else if (tool === 'write_file') session.fs.writeFileSync(path, 'x\n')
  else session.fs.renameSync(path, NEW)
}

type Route = (session: Session) => Promise<(attempt: Attempt) => Promise<boolean>>

const byCall =
  (call: Call) =>
  async (attempt: Attempt): Promise<boolean> =>
    (await call(attempt.tool, argumentsOf(attempt))).isError !== true

const plain: Route = async (session) => (attempt) =>
  applyTo(session, attempt).then(
    () => true,
    () => false,
  )

const inProcess: Route = async (session) => byCall(callerOf(await clientOn(session)))

async function serveOverHttp(session: Session): Promise<string> {
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

const http: Route = async (session) => {
  const url = await serveOverHttp(session)
  const client: Client = newClient()
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return byCall(callerOf(client))
}

const modern: Route = async (session) => {
  const client = modernClient()
  await client.connect(new ModernHttp(new URL(await serveOverHttp(session))))
  return byCall(modernCaller(client))
}

const denials = (records: readonly TraceRecord[]) =>
  records.map(metadataOf).flatMap(({ type, reason, path, words }) => (type === 'denied' ? [[reason, path, words]] : []))

const linesFrom = (project: TestWorkspace): TraceRecord[] =>
  project
    .text('.orchestration/agent_trace.jsonl')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

async function stagedBy(of: Pick<Review, 'changes'> | Pick<Session, 'changes'>): Promise<string[]> {
  return (await of.changes()).changes.map(({ path, kind }) => `${kind} ${path}`)
}

async function runRoute(route: Route): Promise<Outcomes> {
  const project = attemptsWorkspace()
  const workspace = await project.open({ durability: 'memory' })
  const session = await workspace.session({ id: ID })
  const act = await route(session)
  const found: Outcomes = new Map()
  let seen = 0
  for (const attempt of MCP_ATTEMPTS) {
    if ((session.intent?.id ?? null) !== attempt.intent) await session.selectIntent(attempt.intent)
    const done = await act(attempt)
    const staged = await stagedBy(session)
    await session.flush()
    const lines = linesFrom(project)
    found.set(nameOf(attempt), { done, staged, denied: denials(lines.slice(seen)) })
    seen = lines.length
    await session.revert()
  }
  return found
}

/** The server is another process: a review reads its stage, and its ledger is read call by call at the end. */
async function overStdio(): Promise<Outcomes> {
  const project = attemptsWorkspace()
  const { client, call } = await spawnServer(project.root, '--session', ID)
  const workspace: Workspace = await project.open()
  const review = await workspace.review(ID)
  const calls: (Attempt | undefined)[] = []
  const found: Outcomes = new Map()
  let intent: string | null = null
  for (const attempt of MCP_ATTEMPTS) {
    if (intent !== attempt.intent) {
      await call('select_active_intent', { intent_id: attempt.intent })
      calls.push(undefined)
    }
    const done = await byCall(call)(attempt)
    intent = attempt.tool === 'select_active_intent' && done ? attempt.path : attempt.intent
    const staged = await stagedBy(review)
    found.set(nameOf(attempt), { done, staged, denied: [] })
    if (staged.length > 0) await review.discard()
    calls.push(attempt)
  }
  await client.close()
  let from = 0
  const lines = linesFrom(project)
  const ends = lines.flatMap((line, index) => (metadataOf(line).type === 'tool_call' ? [index] : []))
  expect(ends).toHaveLength(calls.length)
  calls.forEach((attempt, i) => {
    const end = ends[i] ?? from
    const outcome = attempt && found.get(nameOf(attempt))
    if (attempt && outcome) found.set(nameOf(attempt), { ...outcome, denied: denials(lines.slice(from, end)) })
    from = end
  })
  return found
}

describe('the table of tool calls, by the official client', () => {
  let measure: Outcomes = new Map()

  it('plain fs gives the reference', async () => {
    measure = await runRoute(plain)
    const all = [...measure.values()]
    expect(all.length).toBeGreaterThan(60)
    expect(all.filter(({ done }) => done).length).toBeGreaterThan(15)
    expect(all.filter(({ denied }) => denied.length > 0).length).toBeGreaterThan(30)
  })

  it.each([
    ['within the process', () => runRoute(inProcess)],
    ['over HTTP', () => runRoute(http)],
    ['over HTTP without connections', () => runRoute(modern)],
    ['over stdio', overStdio],
  ] as const)('%s gives the same decision, reason and record', async (_, outcomes) => {
    const through = await outcomes()
    const differing = [...measure].filter(
      ([attempt, outcome]) => JSON.stringify(outcome) !== JSON.stringify(through.get(attempt)),
    )
    expect(
      differing.map(([attempt, outcome]) => ({ deed: attempt, plain: outcome, through: through.get(attempt) })),
    ).toEqual([])
  })
})
