import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { type McpConnection, type McpHost, newSessionId } from './host.js'

/** Most bytes of a message. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/**
 * Serves the client that started this process over stdio, until it disconnects or `signal` aborts. Its first message shows
 * the protocol revision that it speaks.
 */
export async function serveMcpStdio(host: McpHost, signal?: AbortSignal): Promise<void> {
  const disconnected = new Promise<void>((resolve) => {
    for (const end of ['end', 'close', 'error']) process.stdin.once(end, () => resolve())
    process.stdout.once('error', () => resolve())
    if (signal?.aborted) resolve()
    signal?.addEventListener('abort', () => resolve())
  })
  const connections: McpConnection[] = []
  // A client that first asks for the supported revisions connects twice.
  const session = host.session ?? newSessionId()
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES })
  const served = serveStdio(
    async ({ era }) => {
      const { server, connection } = await host.serve({ isModern: era === 'modern', session })
      connections.push(connection)
      return server
    },
    { transport },
  )
  await disconnected
  await served.close()
  for (const connection of connections) await connection.close()
}
