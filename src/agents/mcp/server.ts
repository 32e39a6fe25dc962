import { type CallToolResult, inputRequired, McpServer, type ServerContext } from '@modelcontextprotocol/server'
import { feedbackOf, type Human, INTENT_PROTOCOL, type PersonalRun, personGate } from '../../hooks/index.js'
import type { AgentInfo, Ledger, Session, Workspace } from '../../index.js'
import { clientAgent, clientOfRequest } from './client-agent.js'
import type { Asked, Asking } from './elicit.js'
import { Notices } from './notices.js'
import { registerResources } from './resources.js'
import { toCallResult } from './result.js'
import { type CallContext, catalogueOf, type McpTool, type Plan } from './tool.js'
import { TOOLS } from './tools.js'

/** What a server is made with. */
export interface McpServerOptions {
  readonly version?: string
  /** Asks a person, where policy.yaml wants one for a call. Without it such a call is refused. */
  readonly human?: Human
  /** The model at work, where the client does not say. */
  readonly model?: string
  /** For the session's own records, as a resource. */
  readonly ledger?: Ledger
  /** Tells of what others do, so that a client hears of it between its calls. */
  readonly watch?: Workspace['watch']
  /** How a request's user is asked, and what is to hold while its call runs. */
  readonly asking?: (client: Asked, request: ServerContext) => Asking
  readonly around?: <T>(work: () => Promise<T>, asking: Asking) => Promise<T>
  /** Clients say what they want to hear of by `resources/subscribe`; from 2026-07-28 on the protocol's library knows it. */
  readonly isModern?: boolean
}

/**
 * A server of the Model Context Protocol on a session: the tools of the filesystem server, a terminal, and ours. Connect it
 * to a transport. Nothing in it approves, commits, discards or undoes.
 */
export function createMcpServer(session: Session, options: McpServerOptions = {}): McpServer {
  const { version = '0', human, model, ledger, watch, asking, around = (work) => work(), isModern = false } = options
  const server = new McpServer(
    { name: 'escrowfs', version },
    { instructions: INTENT_PROTOCOL, capabilities: { tools: {}, resources: { subscribe: true, listChanged: true } } },
  )
  const run = personGate(session, human)
  const notices = new Notices(session, server.server, isModern)
  notices.hear(watch)
  registerResources(server, session, { ledger, listed: () => notices.ensureFirstLook() })
  for (const tool of TOOLS) {
    const { name, title, description, schema, output, annotations } = tool
    const config = { title, description, annotations, inputSchema: schema, ...(output && { outputSchema: output }) }
    server.registerTool(name, config, async (args: unknown, context) => {
      const asked = asking?.(clientOf(server, context), context)
      const agent = agentOf(session, model, clientAgent(infoOf(server, context), context.mcpReq._meta))
      const work = () => execute(session, run, tool, args, { ...context.mcpReq, agent })
      const result = await (asked ? around(work, asked) : work())
      await notices.after()
      const open = asked?.open()
      return open === undefined ? result : inputRequired({ inputRequests: open })
    })
  }
  return server
}

function clientOf(server: McpServer, context: ServerContext): Asked {
  const { capabilities = server.server.getClientCapabilities() } = clientOfRequest(context.mcpReq.envelope)
  return { name: infoOf(server, context)?.name, canAnswer: capabilities?.elicitation !== undefined }
}

/** From 2026-07-28 on a client says who it is beside each request, before when it connects. */
function infoOf({ server }: McpServer, { mcpReq }: ServerContext) {
  return clientOfRequest(mcpReq.envelope).info ?? server.getClientVersion()
}

/** With the model the server was started for, where neither the client nor its hooks have said one. */
function agentOf({ agent: known }: Session, model: string | undefined, said: AgentInfo): AgentInfo {
  const isKnown = said.model !== undefined || (known?.tool === said.tool && known?.model !== undefined)
  return isKnown || model === undefined ? said : { ...said, model }
}

/** Never rejects: a refusal, wrong arguments and a failure are all results the model can read. */
async function execute(
  session: Session,
  run: PersonalRun,
  tool: McpTool,
  args: unknown,
  { signal, agent }: CallContext & { readonly agent: AgentInfo },
): Promise<CallToolResult> {
  let plan: Plan
  try {
    // For what is recorded before the call begins. Another client's may begin until then, so the call is told its own.
    session.attribute(agent)
    plan = await tool.plan(args, session, { signal })
  } catch (error) {
    return toCallResult({ status: 'failed', error, feedback: await feedbackOf(session) })
  }
  const use = { name: tool.name, args: recordOf(args) }
  return toCallResult(
    await run(
      use,
      () => {
        session.attribute(agent)
        return plan.run(session)
      },
      { catalogue: catalogueOf(plan) },
    ),
  )
}

function recordOf(args: unknown): Readonly<Record<string, unknown>> {
  return typeof args === 'object' && args !== null ? { ...args } : {}
}
