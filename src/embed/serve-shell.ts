import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { z } from 'zod'
import type { Session } from '../core/api.js'
import { errorText } from '../core/error-text.js'
import { linesOf, type ShellMessage, type ShellRequest, type ShellServer } from '../core/shell-api.js'
import { publishSocket } from '../inbox/index.js'
import { listenPrivately } from '../os/socket.js'
import { formatRefusals } from '../terminal/index.js'

const requestSchema: z.ZodType<ShellRequest> = z.union([
  z.strictObject({ run: z.string(), cwd: z.string() }),
  z.strictObject({ in: z.string() }),
  z.strictObject({ end: z.literal(true) }),
  z.strictObject({ feedback: z.literal(true) }),
  z.strictObject({ agent: z.strictObject({ tool: z.string().exactOptional(), model: z.string().exactOptional() }) }),
])

/** Options of {@link serveShell}. */
export interface ServeShellOptions {
  /** Called before each command. If it throws, the command does not run, and its output is the error's message. */
  readonly admit?: (command: string) => void
  /** The root of the session's workspace, where `escrow-sh` and clients' hooks of this user look the session up by id. */
  readonly announcedIn?: string
}

/**
 * Lets `escrow-sh` run commands in a session of this process, contained as in `session.exec`. Listens on a Unix socket that only this
 * user can reach, and that contained commands cannot reach. Close the server before the session.
 */
export async function serveShell(session: Session, options: ServeShellOptions = {}): Promise<ShellServer> {
  const listener = await listenPrivately((socket) => serve(session, socket, options))
  const { announcedIn: root } = options
  const withdraw = root === undefined ? () => undefined : publishSocket(root, session.id, listener.path)
  return {
    env: { ESCROW_SESSION_ID: session.id, ESCROW_SHELL: listener.path },
    async close() {
      withdraw()
      await listener.close()
    },
  }
}

/** Serves one command per connection. The command is aborted when the client disconnects. */
function serve(session: Session, socket: Socket, { admit }: ServeShellOptions): void {
  const stdin = new PassThrough()
  const closed = new AbortController()
  let isRunning = false
  const send = (message: ShellMessage) => void (socket.writable && socket.write(`${JSON.stringify(message)}\n`))
  const onLine = (line: string) => {
    const request = requestSchema.parse(JSON.parse(line))
    if ('in' in request) stdin.write(Buffer.from(request.in, 'base64'))
    else if ('end' in request) stdin.end()
    else if ('agent' in request) {
      session.attribute(request.agent)
      send({ attributed: true })
      socket.end()
    } else if ('feedback' in request) void sendFeedback(session, send).finally(() => socket.end())
    else if (!isRunning) {
      isRunning = true
      void runCommand(session, request, { stdin, signal: closed.signal, admit }, send).finally(() => socket.end())
    }
  }
  const lines = linesOf(onLine)
  socket.setEncoding('utf8')
  socket.on('error', () => undefined)
  socket.on('close', () => {
    closed.abort()
    stdin.destroy()
  })
  socket.on('data', (chunk) => {
    try {
      if (!lines(String(chunk))) socket.destroy()
    } catch {
      socket.destroy()
    }
  })
}

async function sendFeedback(session: Session, send: (message: ShellMessage) => void): Promise<void> {
  try {
    send({ feedback: await session.feedback() })
  } catch (error) {
    send({ failed: errorText(error), hint: '' })
  }
}

interface CommandStreams {
  readonly stdin: PassThrough
  readonly signal: AbortSignal
  readonly admit: ServeShellOptions['admit']
}

async function runCommand(
  session: Session,
  { run, cwd }: { readonly run: string; readonly cwd: string },
  { stdin, signal, admit }: CommandStreams,
  send: (message: ShellMessage) => void,
): Promise<void> {
  try {
    admit?.(run)
    const { exitCode, ended, refused } = await session.exec(run, {
      cwd,
      stdin,
      signal,
      onOutput: (chunk, stream) => send({ out: Buffer.from(chunk).toString('base64'), stream }),
    })
    send({ code: exitCode, ended: ended ?? null, note: formatRefusals(refused) })
  } catch (error) {
    const hint = typeof error === 'object' && error !== null && 'hint' in error ? String(error.hint) : ''
    send({ failed: errorText(error), hint })
  }
}
