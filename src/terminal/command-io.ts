import type { ChildProcess } from 'node:child_process'
import { killGroup } from '../host/child.js'
import type { HomeView } from './client-home.js'
import type { Visibility } from './secrets.js'

/** The course of one command, wherever it runs: what it is given, what it says, and what ends it. */

/** How one command runs. */
export interface CommandOptions {
  readonly args: readonly string[]
  /** Absolute, in the workspace. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** True: the machine's. Else the hosts it may reach (`AllowedHosts`), or false for none. */
  readonly network: boolean | readonly string[]
  /** Milliseconds; none: no limit. */
  readonly timeout?: number | undefined
  readonly stdin?: string | Uint8Array | NodeJS.ReadableStream | undefined
  readonly signal?: AbortSignal | undefined
  readonly onOutput?: ((chunk: Buffer, stream: 'stdout' | 'stderr') => void) | undefined
  /** Processes it may have at a time. */
  readonly processes: number
  /** Bytes they may hold at a time; three quarters of the machine's unless told. */
  readonly memory?: number | undefined
  readonly outlook: Visibility
  /** Names of the workspace that cannot be changed there, whatever the stage would say. */
  readonly shut: readonly string[]
  /** What it may write of the home directory. */
  readonly home?: HomeView | undefined
  /** It has our own input, output and terminal: nothing of what it says is told or kept. */
  readonly terminal?: boolean
  /** Bytes of each stream that are kept; {@link OUTPUT} unless told. */
  readonly keep?: number
  /** Told of the first process of its namespace, once it runs. */
  readonly onBegin?: (init: number) => void
}

export interface CommandEnd {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** Why it was ended before its time. */
  readonly ended?: 'timeout' | 'aborted' | 'processes' | 'memory'
  /** Output beyond what is kept was let go. */
  readonly truncated: boolean
  /** Addresses it asked for that are not among the hosts it may reach, as `host:port`. */
  readonly unreachable?: readonly string[]
  /** Whether it came so far as to do anything: else there may be no mount to compare with. */
  readonly began: boolean
}

/** Processes of one command. */
export const PROCESSES = 1024

/** Bytes of each stream that are kept. */
const OUTPUT = 16 << 20

export function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code))
  })
}

/** Ends the command when its time is over or its caller has had enough: its namespace dies with bubblewrap. */
export function stopper(child: ChildProcess, { timeout, signal, terminal }: CommandOptions) {
  let why: CommandEnd['ended']
  const kill = (reason: NonNullable<CommandEnd['ended']>) => {
    why ??= reason
    // All that is on its way into the sandbox: its first process is not yet bound to bubblewrap's life.
    if (terminal) child.kill('SIGKILL')
    else killGroup(child)
  }
  const timer = timeout === undefined ? undefined : setTimeout(kill, timeout, 'timeout')
  const abort = () => kill('aborted')
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) abort()
  let failure: { readonly error: unknown } | undefined
  return {
    kill,
    /** The caller's own code threw: the command ends, and its caller is told why. */
    fail(error: unknown) {
      failure ??= { error }
      kill('aborted')
    },
    get failure() {
      return failure
    },
    get why() {
      return why
    },
    end() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    },
  }
}

export async function collect(child: ChildProcess, options: CommandOptions, failed: (error: unknown) => void) {
  const { stdin, onOutput, keep = OUTPUT } = options
  // A command that reads nothing closes its end: that is no failure of ours.
  child.stdin?.on('error', () => undefined)
  if (child.stdin && stdin !== undefined && typeof stdin !== 'string' && 'pipe' in stdin) stdin.pipe(child.stdin)
  else child.stdin?.end(stdin)
  const kept = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  const size = { stdout: 0, stderr: 0 }
  let truncated = false
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.on('data', (chunk: Buffer) => {
      try {
        onOutput?.(chunk, stream)
      } catch (error) {
        failed(error)
      }
      const room = keep - size[stream]
      if (chunk.length > room) truncated = true
      if (room > 0) kept[stream].push(chunk.subarray(0, room))
      size[stream] += chunk.length
    })
  await new Promise((resolve) => child.once('close', resolve))
  const text = (stream: 'stdout' | 'stderr') => Buffer.concat(kept[stream]).toString('utf8')
  return { stdout: text('stdout'), stderr: text('stderr'), truncated }
}
