import { pipeline, Transform } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { LongLineError, lineReader } from '../../surface/index.js'
import { type McpConnection, type McpHost, newSessionId } from './host.js'
import { LimitedTransport } from './limited-transport.js'

/**
 * Serves the client that started this process over stdio, until it disconnects or `signal` aborts. Its first message shows
 * the protocol revision that it speaks.
 * @throws Error if the client sends a message longer than 64 MiB
 */
export async function serveMcpStdio(host: McpHost, signal?: AbortSignal): Promise<void> {
  const lines = wholeLines()
  let failure: Error | undefined
  const disconnected = new Promise<void>((resolve) => {
    lines.once('close', () => resolve())
    process.stdout.once('error', () => resolve())
    if (signal?.aborted) resolve()
    signal?.addEventListener('abort', () => resolve())
  })
  pipeline(process.stdin, lines, (error) => {
    if (error instanceof LongLineError)
      failure = new Error(`A message of the client is too long. ${error.message}`, { cause: error })
  })
  const connections: McpConnection[] = []
  // A client that first asks for the supported revisions connects twice.
  const session = host.session ?? newSessionId()
  // The library's buffer gets whole messages only. One chunk of the input may complete several, so they have no common limit.
  const stdio = new StdioServerTransport(lines, process.stdout, { maxBufferSize: Number.POSITIVE_INFINITY })
  const served = serveStdio(
    async ({ era }) => {
      const { server, connection } = await host.serve({ isModern: era === 'modern', session })
      connections.push(connection)
      return server
    },
    { transport: new LimitedTransport(stdio) },
  )
  await disconnected
  await served.close()
  for (const connection of connections) await connection.close()
  if (failure !== undefined) throw failure
}

/**
 * Passes on one line at a time. The MCP library joins each chunk with all earlier ones of the same message, so it would copy 3 GB for
 * a message of 20 MB in chunks of 64 KB.
 */
function wholeLines(): Transform {
  const lines = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        read(chunk)
        done()
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    },
  })
  const read = lineReader((line) => lines.push(`${line}\n`))
  return lines
}
