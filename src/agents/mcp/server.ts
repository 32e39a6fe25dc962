import { type CallToolResult, inputRequired, McpServer, type ServerContext } from '@modelcontextprotocol/server'
import { feedbackOf, type Human, INTENT_PROTOCOL, type PersonalRun, personGate } from '../../hooks/index.js'
import type { AgentInfo, Ledger, Session, Workspace } from '../../index.js'
import { clientAgent, clientOfRequest } from './client-agent.js'
import type { Asked, Asking } from './elicit.js'
import { ResourceNotifier } from './notices.js'
import { registerResources } from './resources.js'
import { toCallResult } from './result.js'
import { type CallContext, catalogueOf, type McpTool, type Plan } from './tool.js'
import { TOOLS } from './tools.js'

/** Options of {@link createMcpServer}. */
export interface McpServerOptions {
  readonly version?: string
  /** Asks a person if policy.yaml requires one for a call. Without it such a call is refused. */
  readonly human?: Human
  /** The agent's model, if the client does not report it. */
  readonly model?: string
  /** Provides the session's records as a resource. */
  readonly ledger?: Ledger
  /** Watches for changes by others, so that a client is notified between its calls. */
  readonly watch?: Workspace['watch']
  /** How to ask a request's user, and a wrapper for its call. */
  readonly asking?: (client: Asked, request: ServerContext) => Asking
  readonly around?: <T>(work: () => Promise<T>, asking: Asking) => Promise<T>
  /** Whether the protocol library tracks subscriptions, as from 2026-07-28 on. Before, clients send `resources/subscribe`. */
  readonly isModern?: boolean
}

/**
 * Creates an MCP server on a session: the tools of the filesystem server, a terminal, and ours. Connect it
 * to a transport. No tool of it approves, commits, discards or undoes.
 */
export function createMcpServer(session: Session, options: McpServerOptions = {}): McpServer {
  const { version = '0', human, model, ledger, watch, asking, around = (work) => work(), isModern = false } = options
  const server = new McpServer(
    { name: 'escrowfs', version },
    { instructions: INTENT_PROTOCOL, capabilities: { tools: {}, resources: { subscribe: true, listChanged: true } } },
  )
  const run = personGate(session, human)
  const notices = new ResourceNotifier(session, server.server, isModern)
  notices.watch(watch)
  registerResources(server, session, { ledger, onListed: () => notices.startTracking() })
  for (const tool of TOOLS) {
    const { name, title, description, schema, output, annotations } = tool
    const config = { title, description, annotations, inputSchema: schema, ...(output && { outputSchema: output }) }
    server.registerTool(name, config, async (args: unknown, context) => {
      const elicitation = asking?.(clientOf(server, context), context)
      const agent = agentOf(session, model, clientAgent(infoOf(server, context), context.mcpReq._meta))
      const work = () => execute(session, run, tool, args, { ...context.mcpReq, agent })
      const result = await (elicitation ? around(work, elicitation) : work())
      await notices.notifyChanges()
      const open = elicitation?.open()
      return open === undefined ? result : inputRequired({ inputRequests: open })
    })
  }
  return server
}

function clientOf(server: McpServer, context: ServerContext): Asked {
  const { capabilities = server.server.getClientCapabilities() } = clientOfRequest(context.mcpReq.envelope)
  return { name: infoOf(server, context)?.name, canAnswer: capabilities?.elicitation !== undefined }
}

/** From 2026-07-28 on a client identifies itself in each request, before that when it connects. */
function infoOf({ server }: McpServer, { mcpReq }: ServerContext) {
  return clientOfRequest(mcpReq.envelope).info ?? server.getClientVersion()
}

/** Adds the configured model if neither the client nor its hooks have reported one. */
function agentOf({ agent: known }: Session, model: string | undefined, reported: AgentInfo): AgentInfo {
  const isKnown = reported.model !== undefined || (known?.tool === reported.tool && known?.model !== undefined)
  return isKnown || model === undefined ? reported : { ...reported, model }
}

/** Never rejects: a denial, invalid arguments and an error become results that the model can read. */
async function execute(
  session: Session,
  run: PersonalRun,
  tool: McpTool,
  args: unknown,
  { signal, agent }: CallContext & { readonly agent: AgentInfo },
): Promise<CallToolResult> {
  let plan: Plan
  try {
    // For records before the call begins. Another client's call may begin first, so the call itself attributes again.
    session.attribute(agent)
    plan = await tool.plan(args, session, { signal })
  } catch (error) {
    return toCallResult({ status: 'failed', error, feedback: await feedbackOf(session) })
  }
  const use = { name: tool.name, args: toRecord(args) }
  return toCallResult(
    await run(
      use,
      () => {
        // The client may have cancelled while a person was asked, or while another call ran.
        signal.throwIfAborted()
        session.attribute(agent)
        return plan.run(session)
      },
      { catalogue: catalogueOf(plan) },
    ),
  )
}

function toRecord(args: unknown): Readonly<Record<string, unknown>> {
  return typeof args === 'object' && args !== null ? { ...args } : {}
}
