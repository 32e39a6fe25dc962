import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { type McpConnection, type McpHost, newSessionName } from './host.js'

/** Bytes of one message. */
const MESSAGE = 64 * 1024 * 1024

/**
 * Serves the one client that started this process, over its standard streams, until it closes them or `signal` ends it. Its first message says
 * which of the protocol's revisions it speaks.
 */
export async function serveMcpStdio(host: McpHost, signal?: AbortSignal): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    for (const end of ['end', 'close', 'error']) process.stdin.once(end, () => resolve())
    process.stdout.once('error', () => resolve())
    if (signal?.aborted) resolve()
    signal?.addEventListener('abort', () => resolve())
  })
  const connections: McpConnection[] = []
  // A client that asks first which revisions are spoken is served twice.
  const session = host.session ?? newSessionName()
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MESSAGE })
  const served = serveStdio(
    async ({ era }) => {
      const { server, connection } = await host.serve({ isModern: era === 'modern', session })
      connections.push(connection)
      return server
    },
    { transport },
  )
  await gone
  await served.close()
  for (const connection of connections) await connection.close()
}
