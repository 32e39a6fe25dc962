import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { codeOf } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'

/**
 * The one file that starts processes for the terminal. It runs only programs of the system: a PATH into the workspace,
 * or a preloaded library, would run an agent's code outside every sandbox.
 */
export const SYSTEM_DIRECTORIES = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']
const ENV = { PATH: SYSTEM_DIRECTORIES.join(':'), LC_ALL: 'C' }

const notInstalled = (name: string) => `The program ${name} is not installed.`

/** Whether the system has a program of this name. */
export function isInstalled(name: string): boolean {
  return placeOf(name) !== undefined
}

/** Returns the path of a program of the system. Throws an Error if there is none. */
export function placeOfProgram(name: string): string {
  const place = placeOf(name)
  if (place === undefined) throw new Error(notInstalled(name))
  return place
}

function placeOf(name: string): string | undefined {
  return SYSTEM_DIRECTORIES.map((dir) => `${dir}/${name}`).find((path) => existsSync(path))
}

/**
 * Starts a program of the system, without a shell, as the leader of its own process group, unless it is to keep our
 * terminal. A failed start shows as the child's `error` event.
 * @throws EscrowError `limit_exceeded` if too many files are open: such a child would have no streams
 */
export function startProgram(
  program: string,
  args: readonly string[],
  stdio: SpawnOptions['stdio'],
  keepsTerminal = false,
): ChildProcess {
  return withStreams(spawn(program, args, { stdio, env: ENV, cwd: '/', detached: !keepsTerminal }), program)
}

function withStreams(child: ChildProcess, program: string): ChildProcess {
  if (Reflect.get(child, 'stdio') !== undefined) return child
  child.on('error', () => undefined)
  throw new EscrowError('limit_exceeded', `${program} cannot be started: too many files are open (EMFILE).`, {
    hint: "Raise the limit on open files with 'ulimit -n', then try again.",
  })
}

/** Starts a program of the user's as {@link startProgram} does, in the given environment and directory. */
export function startOwn(
  [program = '', ...args]: readonly string[],
  { cwd, env, stdio }: Pick<SpawnOptions, 'cwd' | 'env' | 'stdio'>,
  keepsTerminal: boolean,
): ChildProcess {
  return withStreams(spawn(program, args, { cwd, env, stdio, detached: !keepsTerminal }), program)
}

/**
 * Runs a program of the system for the person at the terminal, who may answer it: a password, for example. Its output goes to stderr.
 * Resolves with its exit code; null if it could not be started, or a signal ended it.
 */
export function runForPerson([program = '', ...args]: readonly string[]): Promise<number | null> {
  const child = spawn(program, args, { stdio: ['inherit', 2, 2], env: ENV, cwd: '/' })
  return new Promise((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
}

/** Waits for `work` of a program that uses this terminal. Meanwhile Ctrl-C and Ctrl-\ end that program alone. */
export async function whileOthersType<T>(work: () => Promise<T>): Promise<T> {
  const ignore = () => undefined
  for (const signal of TYPED_SIGNALS) process.on(signal, ignore)
  try {
    return await work()
  } finally {
    for (const signal of TYPED_SIGNALS) process.off(signal, ignore)
  }
}

/** Signals of keys. The terminal sends them to all programs of the job. */
const TYPED_SIGNALS = ['SIGINT', 'SIGQUIT'] as const

/** Sets whether a child and its streams keep this process running. */
export function holdProcess(child: ChildProcess, isHeld: boolean): void {
  const method = isHeld ? 'ref' : 'unref'
  for (const each of [child, ...child.stdio]) {
    const call: unknown = each && Reflect.get(each, method)
    if (typeof call === 'function') call.call(each)
  }
}

/** Kills a program and its process group. */
export function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  sendSignal(-pid, 'SIGKILL')
}

/** Sends a signal to a process, or to a group by its negative number. Returns false if there is none. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false
    throw error
  }
}

/** Returns the living children of a process; none if the kernel does not list them (proc_pid_children(5)). */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

export interface Ran {
  /** Null if it could not be started, or a signal ended it. */
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
  /** Why it could not be started. From {@link runProgram} also which signal ended it. */
  readonly problem?: string
}

export interface OwnRun {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly input?: string | Uint8Array
  /** Milliseconds until it is killed. */
  readonly timeout: number
  /** How its output becomes text: UTF-8 by default; `latin1` keeps every byte. */
  readonly encoding?: 'latin1'
}

/** The largest output of a program of the user's, in bytes. */
const MAX_OUTPUT = 256 * 1024 * 1024

/**
 * Runs a program of the user's to its end, in the given environment and directory. Never throws.
 * @param program its absolute path
 */
export function runOwn(program: string, args: readonly string[], { cwd, env, input, timeout, encoding }: OwnRun): Ran {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: encoding ?? 'utf8',
    timeout,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT,
    env,
    cwd,
    input: input ?? '',
  })
  return { status, stdout: stdout ?? '', stderr: stderr ?? '', ...(error && { problem: error.message }) }
}

/**
 * Runs a short program to its end, with variables added to ours. Kills it after `timeout` milliseconds. Never throws.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  timeout = 10_000,
  more: Readonly<Record<string, string>> = {},
): Ran {
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    timeout,
    killSignal: 'SIGKILL',
    env: { ...ENV, ...more },
    cwd: '/',
  })
  const killed = signal === null ? undefined : `${program} was ended by ${signal}.`
  const problem = error ? (codeOf(error) === 'ENOENT' ? notInstalled(program) : error.message) : killed
  return { status, stdout: stdout ?? '', stderr: stderr ?? '', ...defined({ problem }) }
}
