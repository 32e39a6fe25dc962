import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { McpHost } from './host.js'

/** Bytes of one message. */
const MESSAGE = 64 * 1024 * 1024

/** Serves the one client that started this process, over its standard streams, until it closes them or `signal` ends it. */
export async function serveMcpStdio(host: McpHost, signal?: AbortSignal): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    for (const end of ['end', 'close', 'error']) process.stdin.once(end, () => resolve())
    process.stdout.once('error', () => resolve())
    if (signal?.aborted) resolve()
    signal?.addEventListener('abort', () => resolve())
  })
  const connection = await host.connect(
    new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MESSAGE }),
  )
  await Promise.race([gone, connection.ended])
  await connection.close()
}
