import { pipeline } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { type McpConnection, type McpHost, newSessionId } from './host.js'
import { LongMessageError, wholeLines } from './whole-lines.js'

/** Most bytes of a message. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/**
 * Serves the client that started this process over stdio, until it disconnects or `signal` aborts. Its first message shows
 * the protocol revision that it speaks.
 * @throws Error if the client sends a message longer than 64 MiB.
 */
export async function serveMcpStdio(host: McpHost, signal?: AbortSignal): Promise<void> {
  const lines = wholeLines(MAX_MESSAGE_BYTES)
  let failure: LongMessageError | undefined
  const disconnected = new Promise<void>((resolve) => {
    lines.once('close', () => resolve())
    process.stdout.once('error', () => resolve())
    if (signal?.aborted) resolve()
    signal?.addEventListener('abort', () => resolve())
  })
  pipeline(process.stdin, lines, (error) => {
    if (error instanceof LongMessageError) failure = error
  })
  const connections: McpConnection[] = []
  // A client that first asks for the supported revisions connects twice.
  const session = host.session ?? newSessionId()
  // The library's buffer gets whole messages only. One chunk of the input may complete several, so they have no common limit.
  const transport = new StdioServerTransport(lines, process.stdout, { maxBufferSize: Number.POSITIVE_INFINITY })
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
  if (failure !== undefined) throw failure
}
