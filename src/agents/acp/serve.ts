import { PassThrough, type Readable, type Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { defined } from '../../core/defined.js'
import type { RunningCommand, Session, StartOptions, Workspace } from '../../index.js'
import { errorText, oneLine } from '../../surface/index.js'
import { lineReader } from './lines.js'
import { CODE, errorOf, type Message, parseMessage } from './message.js'
import { Peer } from './peer.js'
import { AcpProxy } from './proxy.js'

/** Milliseconds between the times what the agent has done is taken into the stage. */
const EVERY = 2_000
/** Milliseconds an agent has to end by itself when its editor is gone. */
const GRACE = 2_000
const CONNECTION_LOST = 'The editor closed the connection.'
/** Bytes that may wait for an agent that does not read. */
const WAITING = 256 << 20

/** What an agent is started with, and whom it is to speak to. */
export interface AcpOptions extends Pick<StartOptions, 'network' | 'env' | 'client' | 'home'> {
  readonly workspace: Workspace
  readonly session: Session
  /** The agent's program, with its arguments. */
  readonly command: readonly string[]
  /** What the editor says, and where it is answered. */
  readonly input: Readable
  readonly output: Writable
  /** What is for the person who started us: the agent's own messages and ours. */
  readonly log: (text: string) => void
  /** Ends the agent. */
  readonly signal?: AbortSignal
}

/**
 * Starts an agent that speaks the Agent Client Protocol, contained as `Session.start` contains one, and stands between it and
 * its editor: what it asks of files and commands is done in the session, and never by the editor. Resolves with its exit code
 * when either side has ended and no process of the agent is left; with 0 where the editor has closed the connection. Rejects where it cannot be started.
 */
export async function serveAcp(options: AcpOptions): Promise<number | null> {
  const { workspace, session, input, output, log, signal, network, env = {}, client, home } = options
  const note = (words: string) => log(`escrow: ${words}\n`)
  const stdin = new PassThrough()
  let running: RunningCommand | undefined
  let end = (_why: string): void => undefined
  let isLeft = false
  const over = new Promise<string>((resolve) => {
    end = resolve
  })
  const editor = new Peer((line) => void output.write(line))
  const agent = new Peer((line) => {
    stdin.write(line)
    if (stdin.writableLength > WAITING) end('The agent stopped reading its input.')
  })
  const proxy = new AcpProxy({ workspace, session, editor, agent, note, client, running: () => running })
  const fromAgent = lineReader(
    spoken(
      (message) => proxy.fromAgent(message),
      (error) => note(`The agent sent an invalid message: ${oneLine(error.message)}`),
    ),
  )
  const fromEditor = lineReader(
    spoken(
      (message) => proxy.fromEditor(message),
      (error) => editor.answer(null, { error: errorOf(error) }),
    ),
  )
  running = await session.start([...options.command], {
    stdin,
    network: network === true,
    every: EVERY,
    env,
    home: home === true,
    ...defined({ client }),
    onOutput: (chunk, stream) => (stream === 'stdout' ? fromAgent(chunk) : log(Buffer.from(chunk).toString('utf8'))),
  })
  const hear = (chunk: Uint8Array) => {
    try {
      fromEditor(chunk)
    } catch (error) {
      end(errorText(error))
    }
  }
  const onConnectionLost = () => end(CONNECTION_LOST)
  const onEditorClosed = () => {
    isLeft = true
    onConnectionLost()
  }
  input.on('data', hear).once('end', onEditorClosed).once('close', onEditorClosed).once('error', onEditorClosed)
  output.once('error', onEditorClosed).once('close', onEditorClosed)
  signal?.addEventListener('abort', onConnectionLost)
  if (signal?.aborted) onConnectionLost()
  if (input.destroyed) onEditorClosed()
  try {
    const ended = running.wait().then(
      ({ exitCode }) => `The agent has ended${exitCode === null ? '' : ` with code ${exitCode}`}.`,
      (error) => `The agent was stopped: ${errorText(error)}`,
    )
    const why = await Promise.race([ended, over])
    await proxy.close()
    // First who waits for the agent is told.
    agent.end({ code: CODE.internal, message: why })
    await nextTurn()
    editor.end({ code: CODE.internal, message: why })
    note(oneLine(why))
    stdin.end()
    const { exitCode } = await running.stop(GRACE)
    // An editor ends its agents by closing the connection: that is no failure, however the agent takes it.
    return why === CONNECTION_LOST && isLeft ? 0 : exitCode
  } finally {
    input.off('data', hear).destroy()
    signal?.removeEventListener('abort', onConnectionLost)
  }
}

function spoken(hear: (message: Message) => void, wrong: (error: Error) => void): (line: string) => void {
  return (line) => {
    let message: Message
    try {
      message = parseMessage(line)
    } catch (error) {
      return wrong(error instanceof Error ? error : new Error(String(error)))
    }
    hear(message)
  }
}
