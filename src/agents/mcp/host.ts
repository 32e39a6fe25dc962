import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { McpServer, Transport } from '@modelcontextprotocol/server'
import { defined } from '../../core/defined.js'
import { approverOf, type Human } from '../../hooks/index.js'
import { openWorkspace, type Session, type ShellServer, serveShell, type Workspace } from '../../index.js'
import { elicitFromClient } from './elicit.js'
import { createMcpServer } from './server.js'

/** Options of {@link openMcpHost}. */
export interface McpHostOptions {
  readonly version?: string
  /** The session of all clients; by default each client has its own. */
  readonly session?: string
  /** The intent to start with; by default the registry's active one. */
  readonly intent?: string
  /** The agent's model, for the ledger. */
  readonly model?: string
  /** Whether the client's user may answer questions, if policy does not require a proven person. */
  readonly askClient?: boolean
}

/** The connection of one client. */
export interface McpConnection {
  readonly sessionId: string
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

export interface Serving {
  /** Whether the client speaks revision 2026-07-28 or later. */
  readonly isModern?: boolean
  /** Whether the server answers a single request and sends no notifications. */
  readonly isBrief?: boolean
  /** The session to work in; it stays open after the connection. */
  readonly session?: string
}

/** A workspace with its connected clients. */
export interface McpHost {
  readonly root: string
  /** The session of all clients, if they share one. */
  readonly session: string | undefined
  /** Creates a server for one client, for the caller to connect. A session without a configured name is closed with it. */
  serve(serving?: Serving): Promise<{ readonly server: McpServer; readonly connection: McpConnection }>
  connect(transport: Transport): Promise<McpConnection>
  /** Watches the workspace for changes by others. */
  readonly watch: Workspace['watch']
  /** Resolves when every session is closed and stored. */
  close(): Promise<void>
}

/** Opens the workspace of a directory for clients of the Model Context Protocol. */
export async function openMcpHost(root: string, options: McpHostOptions = {}): Promise<McpHost> {
  const currentHuman = new AsyncLocalStorage<Human>()
  const approver = options.askClient ? { approver: approverOf(async (each) => currentHuman.getStore()?.(each)) } : {}
  const workspace = await openWorkspace(root, approver)
  const connections = new Set<McpConnection>()
  let shellServer: ShellServer | undefined
  try {
    if (options.session !== undefined) {
      // If another process holds the session, the caller gets the error now, not its client at the first call.
      const session = await openSession(workspace, options, options.session)
      // The client's hooks and terminal work in this session too; without a socket only its tools do.
      shellServer = await serveShell(session, { announcedIn: workspace.root }).catch(() => undefined)
    }
  } catch (error) {
    await workspace.close()
    throw error
  }
  const serve = async (serving: Serving = {}) => {
    const served = await createConnection(workspace, options, currentHuman, serving, () =>
      connections.delete(served.connection),
    )
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
    watch: (onChange) => workspace.watch(onChange),
    async close() {
      await shellServer?.close()
      for (const each of connections) await each.close()
      await workspace.close()
    },
  }
}

async function createConnection(
  workspace: Workspace,
  options: McpHostOptions,
  currentHuman: AsyncLocalStorage<Human>,
  { isModern = false, isBrief = false, session: id = options.session }: Serving,
  onEnd: () => void,
) {
  const session = await openSession(workspace, options, id)
  const { version, model } = options
  const server = createMcpServer(session, {
    ledger: workspace.ledger,
    isModern,
    ...(!isBrief && { watch: (onChange) => workspace.watch(onChange) }),
    ...defined({ version, model }),
    ...(options.askClient && {
      human: async (question) => currentHuman.getStore()?.(question),
      asking: (client, request) => elicitFromClient(workspace.root, client, request, isModern),
      around: (work, { human }) => currentHuman.run(human, work),
    }),
  })
  const { onclose } = server.server
  const ended = new Promise<void>((resolve, reject) => {
    server.server.onclose = () => {
      onclose?.()
      onEnd()
      if (id !== undefined) resolve()
      else
        session
          .close()
          .then(() => workspace.removeEmptySession(session.id))
          .then(() => resolve(), reject)
    }
  })
  // Prevents an unhandled rejection if nobody waits.
  ended.catch(() => undefined)
  const connection: McpConnection = {
    sessionId: session.id,
    ended,
    async close() {
      await server.close()
      // A server that was never connected emits no close event.
      server.server.onclose?.()
      await ended
    },
  }
  return { server, connection }
}

async function openSession(workspace: Workspace, { intent }: McpHostOptions, id = newSessionId()): Promise<Session> {
  const session = await workspace.session({ id })
  if (intent !== undefined && session.intent?.id !== intent) await session.selectIntent(intent)
  return session
}

export function newSessionId(): string {
  return `mcp-${Date.now().toString(36)}-${randomBytes(2).toString('hex')}`
}
