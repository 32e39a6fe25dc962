import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { approverOf, type Human } from '../../hooks/index.js'
import { openWorkspace, type Session, type Workspace } from '../../index.js'
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

/** One workspace with the clients that work on it. */
export interface McpHost {
  readonly root: string
  connect(transport: Transport): Promise<McpConnection>
  /** Resolves when every session is on the disk. */
  close(): Promise<void>
}

/** Opens the workspace of a directory for clients of the Model Context Protocol. */
export async function openMcpHost(root: string, options: McpHostOptions = {}): Promise<McpHost> {
  const asked = new AsyncLocalStorage<Human>()
  const approver = options.askClient ? { approver: approverOf(async (each) => asked.getStore()?.(each)) } : {}
  const workspace = await openWorkspace(root, approver)
  const connections = new Set<McpConnection>()
  return {
    root: workspace.root,
    async connect(transport) {
      const connection = await connected(workspace, options, asked, transport, () => connections.delete(connection))
      connections.add(connection)
      return connection
    },
    async close() {
      for (const each of connections) await each.close()
      await workspace.close()
    },
  }
}

async function connected(
  workspace: Workspace,
  options: McpHostOptions,
  asked: AsyncLocalStorage<Human>,
  transport: Transport,
  gone: () => void,
): Promise<McpConnection> {
  const session = await sessionFor(workspace, options)
  const { version } = options
  const human: Human = async (question) => asked.getStore()?.(question)
  const server = createMcpServer(session, {
    ledger: workspace.ledger,
    ...(version !== undefined && { version }),
    ...(options.askClient && { human, around }),
  })
  function around<T>(work: () => Promise<T>, request: RequestId): Promise<T> {
    return asked.run(clientsUser(server.server, workspace.root, request), work)
  }
  const isShared = options.session !== undefined
  const ended = new Promise<void>((resolve, reject) => {
    server.server.onclose = () => {
      gone()
      if (isShared) resolve()
      else session.close().then(resolve, reject)
    }
  })
  // Nobody may be waiting for it.
  ended.catch(() => undefined)
  await server.connect(transport)
  return {
    sessionId: session.id,
    ended,
    async close() {
      await server.close()
      await ended
    },
  }
}

async function sessionFor(workspace: Workspace, { session: id, intent, model }: McpHostOptions): Promise<Session> {
  const agent = { tool: 'mcp', ...(model !== undefined && { model }) }
  const session = await workspace.session({ id: id ?? newName(), agent })
  if (intent !== undefined && session.intent?.id !== intent) await session.selectIntent(intent)
  return session
}

function newName(): string {
  return `mcp-${Date.now().toString(36)}-${randomBytes(2).toString('hex')}`
}
