import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { McpServer, Transport } from '@modelcontextprotocol/server'
import { defined } from '../../core/defined.js'
import { approverOf, type Human } from '../../hooks/index.js'
import { openWorkspace, type Session, type ShellServer, serveShell, type Workspace } from '../../index.js'
import { clientsUser } from './elicit.js'
import { createMcpServer } from './server.js'

/** How clients are served. */
export interface McpHostOptions {
  readonly version?: string
  /** The session all clients work in; one of its own for each unless told. */
  readonly session?: string
  /** The intent they begin with; the registry's active one unless told. */
  readonly intent?: string
  /** The model at work, for the ledger. */
  readonly model?: string
  /** Questions may be answered by the client's user, where policy does not want a proven person. */
  readonly askClient?: boolean
}

/** A client, until either side ends it. */
export interface McpConnection {
  readonly sessionId: string
  /** Resolves when it has ended. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

export interface Serving {
  /** By the revision of 2026-07-28 on. */
  readonly isModern?: boolean
  /** It answers one request: who listens does so elsewhere. */
  readonly isBrief?: boolean
  /** The session to work in; it outlives the connection. */
  readonly session?: string
}

/** One workspace with the clients that work on it. */
export interface McpHost {
  readonly root: string
  /** The session all clients work in, if there is one for all. */
  readonly session: string | undefined
  /** A server for one client, to be connected by the caller. Its session is closed with it, unless it has a name. */
  serve(serving?: Serving): Promise<{ readonly server: McpServer; readonly connection: McpConnection }>
  connect(transport: Transport): Promise<McpConnection>
  /** What others do in the workspace. */
  readonly watch: Workspace['watch']
  /** Resolves when every session is on the disk. */
  close(): Promise<void>
}

/** Opens the workspace of a directory for clients of the Model Context Protocol. */
export async function openMcpHost(root: string, options: McpHostOptions = {}): Promise<McpHost> {
  const asked = new AsyncLocalStorage<Human>()
  const approver = options.askClient ? { approver: approverOf(async (each) => asked.getStore()?.(each)) } : {}
  const workspace = await openWorkspace(root, approver)
  const connections = new Set<McpConnection>()
  let door: ShellServer | undefined
  try {
    if (options.session !== undefined) {
      // Where another process holds it, who started us hears so now, and not its client at its first call.
      const session = await sessionFor(workspace, options, options.session)
      // The client's hooks and its terminal work in this session, too; without a socket its tools do.
      door = await serveShell(session, { announcedIn: workspace.root }).catch(() => undefined)
    }
  } catch (error) {
    await workspace.close()
    throw error
  }
  const serve = async (serving: Serving = {}) => {
    const served = await servedOn(workspace, options, asked, serving, () => connections.delete(served.connection))
    connections.add(served.connection)
    return served
  }
  return {
    root: workspace.root,
    session: options.session,
    serve,
    async connect(transport) {
      const { server, connection } = await serve()
      await server.connect(transport)
      return connection
    },
    watch: (told) => workspace.watch(told),
    async close() {
      await door?.close()
      for (const each of connections) await each.close()
      await workspace.close()
    },
  }
}

async function servedOn(
  workspace: Workspace,
  options: McpHostOptions,
  asked: AsyncLocalStorage<Human>,
  { isModern = false, isBrief = false, session: id = options.session }: Serving,
  gone: () => void,
) {
  const session = await sessionFor(workspace, options, id)
  const { version, model } = options
  const server = createMcpServer(session, {
    ledger: workspace.ledger,
    isModern,
    ...(!isBrief && { watch: (told) => workspace.watch(told) }),
    ...defined({ version, model }),
    ...(options.askClient && {
      human: async (question) => asked.getStore()?.(question),
      asking: (client, request) => clientsUser(workspace.root, client, request, isModern),
      around: (work, { human }) => asked.run(human, work),
    }),
  })
  const { onclose } = server.server
  const ended = new Promise<void>((resolve, reject) => {
    server.server.onclose = () => {
      onclose?.()
      gone()
      if (id !== undefined) resolve()
      else session.close().then(resolve, reject)
    }
  })
  // Nobody may be waiting for it.
  ended.catch(() => undefined)
  const connection: McpConnection = {
    sessionId: session.id,
    ended,
    async close() {
      await server.close()
      // One that was never connected has nothing that could tell of its end.
      server.server.onclose?.()
      await ended
    },
  }
  return { server, connection }
}

async function sessionFor(workspace: Workspace, { intent }: McpHostOptions, id = newSessionName()): Promise<Session> {
  const session = await workspace.session({ id })
  if (intent !== undefined && session.intent?.id !== intent) await session.selectIntent(intent)
  return session
}

export function newSessionName(): string {
  return `mcp-${Date.now().toString(36)}-${randomBytes(2).toString('hex')}`
}
