import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { z } from 'zod'
import type { Session } from '../core/api.js'
import { errorText } from '../core/error-text.js'
import { linesOf, type ShellAsks, type ShellServer, type ShellTells } from '../core/shell-api.js'
import { publishSocket } from '../inbox/index.js'
import { listenPrivately } from '../os/socket.js'
import { formatRefusals } from '../terminal/index.js'

const asks: z.ZodType<ShellAsks> = z.union([
  z.strictObject({ run: z.string(), cwd: z.string() }),
  z.strictObject({ in: z.string() }),
  z.strictObject({ end: z.literal(true) }),
  z.strictObject({ feedback: z.literal(true) }),
  z.strictObject({ agent: z.strictObject({ tool: z.string().exactOptional(), model: z.string().exactOptional() }) }),
])

/** What is asked before a command of `escrow-sh` runs. */
export interface ServeShellOptions {
  /** Asked before each command: what it throws is said in the place of the command's output, and nothing is run. */
  readonly admit?: (command: string) => void
  /** The root of the session's workspace: `escrow-sh` and clients' hooks of this user find the session there by its name. */
  readonly announcedIn?: string
}

/**
 * Lets `escrow-sh` run commands in a session of this process, contained as `session.exec` runs them: by a Unix socket that
 * only this user can reach, and that contained commands cannot. Close it before the session.
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

/** One command for each connection; it ends where the other side goes. */
function serve(session: Session, socket: Socket, { admit }: ServeShellOptions): void {
  const stdin = new PassThrough()
  const gone = new AbortController()
  let isRunning = false
  const tell = (told: ShellTells) => void (socket.writable && socket.write(`${JSON.stringify(told)}\n`))
  const hear = (line: string) => {
    const asked = asks.parse(JSON.parse(line))
    if ('in' in asked) stdin.write(Buffer.from(asked.in, 'base64'))
    else if ('end' in asked) stdin.end()
    else if ('agent' in asked) {
      session.attribute(asked.agent)
      tell({ attributed: true })
      socket.end()
    } else if ('feedback' in asked) void tellFeedback(session, tell).finally(() => socket.end())
    else if (!isRunning) {
      isRunning = true
      void runFor(session, asked, { stdin, signal: gone.signal, admit }, tell).finally(() => socket.end())
    }
  }
  const lines = linesOf(hear)
  socket.setEncoding('utf8')
  socket.on('error', () => undefined)
  socket.on('close', () => {
    gone.abort()
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

async function tellFeedback(session: Session, tell: (told: ShellTells) => void): Promise<void> {
  try {
    tell({ feedback: await session.feedback() })
  } catch (error) {
    tell({ failed: errorText(error), hint: '' })
  }
}

interface Around {
  readonly stdin: PassThrough
  readonly signal: AbortSignal
  readonly admit: ServeShellOptions['admit']
}

async function runFor(
  session: Session,
  { run, cwd }: { readonly run: string; readonly cwd: string },
  { stdin, signal, admit }: Around,
  tell: (told: ShellTells) => void,
): Promise<void> {
  try {
    admit?.(run)
    const { exitCode, ended, refused } = await session.exec(run, {
      cwd,
      stdin,
      signal,
      onOutput: (chunk, stream) => tell({ out: Buffer.from(chunk).toString('base64'), stream }),
    })
    tell({ code: exitCode, ended: ended ?? null, note: formatRefusals(refused) })
  } catch (error) {
    const hint = typeof error === 'object' && error !== null && 'hint' in error ? String(error.hint) : ''
    tell({ failed: errorText(error), hint })
  }
}
