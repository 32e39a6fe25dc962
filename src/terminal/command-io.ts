import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import type { ConnectionCount } from '../core/exec-api.js'
import { killGroup } from '../os/child.js'
import type { HomeView } from './client-home.js'
import type { Visibility } from './secrets.js'

/** Input, output and termination of one command, in a sandbox or on a copy. */

/** How to run one command. */
export interface CommandOptions {
  readonly args: readonly string[]
  /** Absolute, in the workspace. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** True for the machine's network, false for none, or the hosts it may reach (see `AllowedHosts`). */
  readonly network: boolean | readonly string[]
  /** Milliseconds; no limit by default. */
  readonly timeout?: number | undefined
  readonly stdin?: string | Uint8Array | NodeJS.ReadableStream | undefined
  readonly signal?: AbortSignal | undefined
  readonly onOutput?: ((chunk: Buffer, stream: 'stdout' | 'stderr') => void) | undefined
  /** Largest number of processes at a time. */
  readonly processes: number
  /** Largest memory of those processes in bytes; three quarters of the machine's by default. */
  readonly memory?: number | undefined
  readonly visibility: Visibility
  /** Paths in the workspace that are mounted read-only. */
  readonly readOnlyNames: readonly string[]
  /** The parts of the home directory it may write. */
  readonly home?: HomeView | undefined
  /** The command inherits our input, output and terminal, so its output is neither reported nor kept. */
  readonly terminal?: boolean
  /** Bytes of each stream to keep; {@link MAX_KEPT} by default. */
  readonly keepBytes?: number
  /** Called with the first process of its namespace once it runs. */
  readonly onBegin?: (init: number) => void
}

export interface CommandEnd {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** Why it was ended early. */
  readonly ended?: 'timeout' | 'aborted' | 'processes' | 'memory'
  /** Output beyond {@link CommandOptions.keepBytes} was dropped. */
  readonly truncated: boolean
  /** Addresses it was refused because they are not among the allowed hosts, as `host:port`. */
  readonly unreachable?: readonly string[]
  /** The addresses it reached through the proxy, with the number of connections to each. */
  readonly connections?: readonly ConnectionCount[]
  /** Whether the program started. If not, there may be no mount to read effects from. */
  readonly began: boolean
}

/** Largest number of processes of one command. */
export const PROCESSES = 1024

/** Bytes of each stream to keep by default. */
const MAX_KEPT = 16 << 20

/** The exit code of a program, or 128 plus the number of the signal that ended it. */
export function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    // A key such as Ctrl-C sends its signal to the sandbox, too.
    child.once('close', (code, signal) => resolve(signal === null ? code : 128 + constants.signals[signal]))
  })
}

/** Milliseconds of Node's longest timer, 24.8 days. It runs a longer one at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/**
 * Kills the command on timeout or abort. Its namespace dies with bubblewrap.
 * @param end ends it in another way than by a signal to its group.
 */
export function createStopper(child: ChildProcess, { timeout, signal, terminal }: CommandOptions, end?: () => void) {
  let why: CommandEnd['ended']
  const kill = (reason: NonNullable<CommandEnd['ended']>) => {
    why ??= reason
    // The whole group: during the start, the first process of the sandbox is not yet bound to bubblewrap's life.
    if (end !== undefined) end()
    else if (terminal) child.kill('SIGKILL')
    else killGroup(child)
  }
  const isLimited = timeout !== undefined && timeout <= LONGEST_TIMER
  const timer = isLimited ? setTimeout(kill, timeout, 'timeout') : undefined
  const abort = () => kill('aborted')
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) abort()
  let failure: { readonly error: unknown } | undefined
  return {
    kill,
    /** Ends the command because a callback of the caller threw; the error is reported to the caller. */
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
  const { stdin, onOutput, keepBytes = MAX_KEPT } = options
  // EPIPE from a command that does not read its input is not a failure.
  child.stdin?.on('error', () => undefined)
  if (child.stdin && stdin !== undefined && typeof stdin !== 'string' && 'pipe' in stdin) stdin.pipe(child.stdin)
  else child.stdin?.end(stdin)
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  const size = { stdout: 0, stderr: 0 }
  let truncated = false
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.on('data', (chunk: Buffer) => {
      try {
        onOutput?.(chunk, stream)
      } catch (error) {
        failed(error)
      }
      const remaining = keepBytes - size[stream]
      if (chunk.length > remaining) truncated = true
      if (remaining > 0) chunks[stream].push(chunk.subarray(0, remaining))
      size[stream] += chunk.length
    })
  await new Promise((resolve) => child.once('close', resolve))
  const text = (stream: 'stdout' | 'stderr') => Buffer.concat(chunks[stream]).toString('utf8')
  return { stdout: text('stdout'), stderr: text('stderr'), truncated }
}
