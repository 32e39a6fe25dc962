import { PassThrough, type Readable, type Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { defined } from '../../core/defined.js'
import type { RunningCommand, Session, StartOptions, Workspace } from '../../index.js'
import { errorText, lineReader, oneLine } from '../../surface/index.js'
import { CODE, type Message, parseMessage, RpcFailure, toRpcError } from './message.js'
import { Peer } from './peer.js'
import { AcpProxy } from './proxy.js'

/** Milliseconds between two ingestions of the agent's effects into the stage. */
const INGEST_INTERVAL_MS = 2_000
/** Milliseconds for an agent to end by itself after its editor disconnects. */
const GRACE_MS = 2_000
const CONNECTION_LOST = 'The editor closed the connection.'
const SIGNALLED = 'A signal ended escrow.'
/** Most bytes to buffer for an agent that does not read. */
const MAX_BUFFERED_BYTES = 256 << 20

/** Options for an agent and its connection. */
export interface AcpOptions extends Pick<StartOptions, 'network' | 'env' | 'client' | 'home'> {
  readonly workspace: Workspace
  readonly session: Session
  /** The agent's program, with its arguments. */
  readonly command: readonly string[]
  /** The connection to the editor. */
  readonly input: Readable
  readonly output: Writable
  /** Logs the agent's stderr and our messages for the person who started us. */
  readonly log: (text: string) => void
  /** Ends the agent. */
  readonly signal?: AbortSignal
}

/**
 * Starts an agent that speaks the Agent Client Protocol, contained as by `Session.start`, and proxies between it and its editor:
 * the session serves the agent's file and command requests, never the editor. Resolves with the agent's exit code when either
 * side has ended and no process of the agent is left; with 0 if the editor closed the connection. Rejects if it cannot be started.
 */
export async function serveAcp(options: AcpOptions): Promise<number | null> {
  const { workspace, session, input, output, log, signal, network, env = {}, client, home } = options
  const note = (message: string) => log(`escrow: ${message}\n`)
  const stdin = new PassThrough()
  let running: RunningCommand | undefined
  let end = (_why: string): void => undefined
  const stopped = new Promise<string>((resolve) => {
    end = resolve
  })
  const editor = new Peer((line) => void output.write(line))
  const agent = new Peer((line) => {
    stdin.write(line)
    if (stdin.writableLength > MAX_BUFFERED_BYTES) end('The agent stopped reading its input.')
  })
  const proxy = new AcpProxy({ workspace, session, editor, agent, note, client, running: () => running })
  const fromAgent = lineReader(
    ...parseLines(
      (message) => proxy.fromAgent(message),
      (error) => note(`The agent sent an invalid message: ${oneLine(error.message)}`),
    ),
  )
  const fromEditor = lineReader(
    ...parseLines(
      (message) => proxy.fromEditor(message),
      (error) => editor.answer(null, { error: toRpcError(error) }),
    ),
  )
  running = await session.start([...options.command], {
    stdin,
    network: network === true,
    every: INGEST_INTERVAL_MS,
    env,
    home: home === true,
    ...defined({ client }),
    onOutput: (chunk, stream) => (stream === 'stdout' ? fromAgent(chunk) : log(Buffer.from(chunk).toString('utf8'))),
  })
  const onInput = (chunk: Uint8Array) => {
    try {
      fromEditor(chunk)
    } catch (error) {
      end(errorText(error))
    }
  }
  const onSignal = () => end(SIGNALLED)
  const onEditorClosed = () => end(CONNECTION_LOST)
  input.on('data', onInput).once('end', onEditorClosed).once('close', onEditorClosed).once('error', onEditorClosed)
  output.once('error', onEditorClosed).once('close', onEditorClosed)
  signal?.addEventListener('abort', onSignal)
  if (signal?.aborted) onSignal()
  if (input.destroyed) onEditorClosed()
  try {
    const exited = running.wait().then(
      ({ exitCode }) => `The agent has ended${exitCode === null ? '' : ` with code ${exitCode}`}.`,
      (error) => `The agent was stopped: ${errorText(error)}`,
    )
    const why = await Promise.race([exited, stopped])
    await proxy.close()
    // The side that waits for the agent gets its error first.
    agent.end({ code: CODE.internal, message: why })
    await nextTurn()
    editor.end({ code: CODE.internal, message: why })
    note(oneLine(why))
    stdin.end()
    const { exitCode } = await running.stop(GRACE_MS)
    // An editor ends its agents by closing the connection: that is not a failure, whatever the exit code.
    return why === CONNECTION_LOST ? 0 : exitCode
  } finally {
    input.off('data', onInput).destroy()
    signal?.removeEventListener('abort', onSignal)
  }
}

/** The arguments of a {@link lineReader} for messages. */
function parseLines(
  hear: (message: Message) => void,
  onInvalid: (error: Error) => void,
): Parameters<typeof lineReader> {
  const onLine = (line: string) => {
    let message: Message
    try {
      message = parseMessage(line)
    } catch (error) {
      return onInvalid(error instanceof Error ? error : new Error(String(error)))
    }
    hear(message)
  }
  return [onLine, { onBroken: () => onInvalid(new RpcFailure(CODE.parse, 'This is not valid UTF-8.')) }]
}
