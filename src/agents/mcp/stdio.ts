import { pipeline, Transform } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { LongLineError, lineReader } from '../../surface/index.js'
import { type McpConnection, type McpHost, newSessionId } from './host.js'
import { INVALID_REQUEST, LimitedTransport, PARSE_ERROR } from './limited-transport.js'

/**
 * Serves the client that started this process over stdio, until it disconnects or `signal` aborts. Its first message shows
 * the protocol revision that it speaks.
 * @throws Error if the client sends a message longer than 64 MiB
 */
export async function serveMcpStdio(host: McpHost, signal?: AbortSignal): Promise<void> {
  const lines = wholeLines()
  let failure: unknown
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
      try {
        const { server, connection } = await host.serve({ isModern: era === 'modern', session })
        connections.push(connection)
        return server
      } catch (error) {
        failure ??= error
        // The library answers only "Internal server error". After that answer the process ends, and says why.
        setImmediate(() => lines.destroy())
        throw error
      }
    },
    { transport: new LimitedTransport(stdio) },
  )
  await disconnected
  await served.close()
  // With a client that stays connected, the input would keep this process running.
  lines.destroy()
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
  // The library ignores a batch, so its sender would wait for ever.
  const read = lineReader(
    (line) => (line.trimStart().startsWith('[') ? refuse(BATCH) : lines.push(`${line}\n`)),
    // A decoder would put other characters in place of broken ones, and a file would get those.
    { onBroken: () => refuse(BROKEN) },
  )
  return lines
}

/** Bytes that may wait for a client that reads no answers. */
const MAX_UNREAD = 1 << 20

const BATCH = { code: INVALID_REQUEST, message: 'Batches are not supported: send each message on a line of its own.' }
const BROKEN = { code: PARSE_ERROR, message: 'The message is not valid UTF-8.' }

/** Answers a line that no message was read from. */
function refuse(error: { readonly code: number; readonly message: string }): void {
  if (process.stdout.writableLength < MAX_UNREAD)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error })}\n`)
}
