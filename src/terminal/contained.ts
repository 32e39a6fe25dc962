import type { ChildProcess } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { killGroup, startProgram } from '../host/child.js'
import { startOf } from '../host/process.js'
import type { Holder } from './holder.js'
import { STATUS, sandboxOf } from './sandbox.js'
import type { Outlook } from './secrets.js'

/** How one command runs. */
export interface CommandOptions {
  readonly args: readonly string[]
  /** Absolute, in the workspace. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly network: boolean
  /** Milliseconds; none: no limit. */
  readonly timeout?: number | undefined
  readonly stdin?: string | Uint8Array | NodeJS.ReadableStream | undefined
  readonly signal?: AbortSignal | undefined
  readonly onOutput?: ((chunk: Buffer, stream: 'stdout' | 'stderr') => void) | undefined
  /** Processes it may have at a time. */
  readonly processes: number
  readonly outlook: Outlook
}

export interface CommandEnd {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** Why it was ended before its time. */
  readonly ended?: 'timeout' | 'aborted' | 'processes'
  /** Output beyond what is kept was let go. */
  readonly truncated: boolean
  /** Whether it came so far as to do anything: else there may be no mount to compare with. */
  readonly began: boolean
}

/**
 * Mounts the workspace anew, then becomes the command. $1: the layers, $2: the workspace. The layers go by short names:
 * a comma or a colon of their path would end an option. Nothing is mounted yet, or no more, where a start was cut short.
 */
const ENTER = `set -e
cd /
umount "$2" 2>/dev/null || :
cd "$1"
: > stamp
mount -t overlay escrowfs -o lowerdir=staged:workspace,upperdir=written,workdir=work,userxattr "$2"
exec 5<filter
cd /
shift 2
exec "$@"`

/** Descriptors the sandbox is told by and tells by. */
const ARGS = 4

/** Bytes of each stream that are kept. */
const OUTPUT = 16 << 20

/**
 * Runs a command in a holder's namespace: in a sandbox of bubblewrap, where nothing but the workspace's overlay and a
 * /tmp of the session's own can be written. When it resolves, no process of the command is left.
 * Rejects with an Error where the sandbox could not be set up.
 */
export async function runContained(holder: Holder, root: string, options: CommandOptions): Promise<CommandEnd> {
  const { scratch } = holder.places
  const enter = ['--preserve-credentials', '--user', '--mount', '--target', String(holder.pid), '--']
  const limits = ['prlimit', `--nproc=${options.processes}`, '--core=0', '--']
  const sandbox = ['bwrap', '--args', String(ARGS), '--', ...options.args]
  const args = [...enter, 'sh', '-c', ENTER, 'sh', scratch, root, ...limits, ...sandbox]
  const told = sandboxOf(root, scratch, options)
  const child = startProgram('nsenter', args, ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'])
  holder.endsWith(child)
  tell(child, told)
  const init = initOf(child)
  const stop = stopper(child, options)
  const watch = process.getuid?.() === 0 ? watchProcesses(init, options.processes, stop.kill) : undefined
  try {
    const [output, code] = await Promise.all([collect(child, options, stop.fail), exitOf(child)])
    const pid = await init
    // The first process of the namespace is gone only when all others are.
    if (pid !== undefined) await gone(pid)
    if (stop.failure) throw stop.failure.error
    if (pid === undefined && stop.why === undefined)
      throw new Error(`The sandbox could not be set up: ${output.stderr.trim()}`)
    return {
      exitCode: stop.why === undefined ? code : null,
      ...output,
      began: pid !== undefined,
      ...(stop.why && { ended: stop.why }),
    }
  } finally {
    stop.end()
    holder.endsWith(undefined)
    clearInterval(watch)
  }
}

/** The kernel's limit of processes does not hold for root. */
function watchProcesses(init: Promise<number | undefined>, most: number, kill: (why: 'processes') => void) {
  let pid: number | undefined
  void init.then((found) => {
    pid = found
  })
  return setInterval(() => {
    if (pid !== undefined && processesOf(pid) > most) kill('processes')
  }, WATCH_MS)
}

const WATCH_MS = 100

function processesOf(init: number): number {
  try {
    return readdirSync(join(`/proc/${init}/root`, 'proc')).filter((name) => /^\d+$/.test(name)).length
  } catch {
    return 0
  }
}

/** Gives bubblewrap its options where no other user's `ps` sees them, and no limit of a command line holds. */
function tell(child: ChildProcess, options: readonly string[]): void {
  const to = child.stdio[ARGS]
  if (!(to instanceof Writable)) throw new Error('The sandbox has no way to be told its options.')
  to.on('error', () => undefined)
  to.end(options.map((each) => `${each}\0`).join(''))
}

/** The first process of the command's namespace, as bubblewrap tells it; undefined where it never came so far. */
function initOf(child: ChildProcess): Promise<number | undefined> {
  const status = child.stdio[STATUS]
  if (!(status instanceof Readable)) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    let text = ''
    status.on('data', (chunk: Buffer) => {
      text = `${text}${chunk}`.slice(0, MESSAGE)
      const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1]
      if (pid !== undefined) resolve(Number(pid))
    })
    status.once('close', () => resolve(undefined))
  })
}

/** Bytes of what bubblewrap tells that are looked at. */
const MESSAGE = 4096

async function gone(pid: number): Promise<void> {
  const began = startOf(pid)
  for (let delay = 0; began !== undefined && startOf(pid) === began; delay = Math.min(delay + 1, 20)) await wait(delay)
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code))
  })
}

/** Ends the command when its time is over or its caller has had enough: its namespace dies with bubblewrap. */
function stopper(child: ChildProcess, { timeout, signal }: CommandOptions) {
  let why: CommandEnd['ended']
  const kill = (reason: NonNullable<CommandEnd['ended']>) => {
    why ??= reason
    // All that is on its way into the sandbox: its first process is not yet bound to bubblewrap's life.
    killGroup(child)
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

async function collect(child: ChildProcess, { stdin, onOutput }: CommandOptions, failed: (error: unknown) => void) {
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
      const room = OUTPUT - size[stream]
      if (chunk.length > room) truncated = true
      if (room > 0) kept[stream].push(chunk.subarray(0, room))
      size[stream] += chunk.length
    })
  await new Promise((resolve) => child.once('close', resolve))
  const text = (stream: 'stdout' | 'stderr') => Buffer.concat(kept[stream]).toString('utf8')
  return { stdout: text('stdout'), stderr: text('stderr'), truncated }
}
