import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { CallToolResult, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { feedbackOf, type Human, INTENT_PROTOCOL, type PersonalRun, personGate } from '../../hooks/index.js'
import type { Ledger, Session } from '../../index.js'
import { Notices } from './notices.js'
import { registerResources } from './resources.js'
import { rendered } from './result.js'
import { catalogueOf, type McpTool, type Moment, type Plan } from './tool.js'
import { TOOLS } from './tools.js'

/** What a server is made with. */
export interface McpServerOptions {
  readonly version?: string
  /** Asks a person, where policy.yaml wants one for a call. Without it such a call is refused. */
  readonly human?: Human
  /** For the session's own records, as a resource. */
  readonly ledger?: Ledger
  /** Around the call that a request asks for, for what is to hold while it runs. */
  readonly around?: <T>(work: () => Promise<T>, request: RequestId) => Promise<T>
}

interface Requested {
  readonly requestId: RequestId
}

/**
 * A server of the Model Context Protocol on a session: the tools of the filesystem server, a terminal, and ours. Connect it
 * to a transport. Nothing in it approves, commits, discards or undoes.
 */
export function createMcpServer(session: Session, options: McpServerOptions = {}): McpServer {
  const { version = '0', human, ledger, around = (work) => work() } = options
  const server = new McpServer(
    { name: 'escrowfs', version },
    { instructions: INTENT_PROTOCOL, capabilities: { tools: {}, resources: { subscribe: true } } },
  )
  const run = personGate(session, human)
  const notices = new Notices(session, server.server)
  registerResources(server, session, { ledger, listed: () => notices.looked() })
  for (const tool of TOOLS) {
    const { name, title, description, schema, output, annotations } = tool
    const config = { title, description, annotations, inputSchema: schema, ...(output && { outputSchema: output }) }
    server.registerTool(name, config, async (args: unknown, { signal, requestId }: Moment & Requested) => {
      const result = await around(() => execute(session, run, tool, args, { signal }), requestId)
      await notices.after()
      return result
    })
  }
  return server
}

/** Never rejects: a refusal, wrong arguments and a failure are all results the model can read. */
async function execute(
  session: Session,
  run: PersonalRun,
  tool: McpTool,
  args: unknown,
  moment: Moment,
): Promise<CallToolResult> {
  let plan: Plan
  try {
    plan = await tool.plan(args, session, moment)
  } catch (error) {
    return rendered({ status: 'failed', error, feedback: await feedbackOf(session) })
  }
  const use = { name: tool.name, args: recordOf(args) }
  return rendered(await run(use, () => plan.run(session), { catalogue: catalogueOf(plan) }))
}

function recordOf(args: unknown): Readonly<Record<string, unknown>> {
  return typeof args === 'object' && args !== null ? { ...args } : {}
}
