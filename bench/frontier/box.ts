import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** The job of the throw-away machine. */
export interface Job {
  readonly argv: readonly string[]
  /** Ports that a server answers on at any address, for TCP and UDP. */
  readonly ports: readonly number[]
  /** Names of processes of other people. */
  readonly bystanders: readonly string[]
  /** Seconds. */
  readonly limit: number
}

export interface Result {
  readonly connected: readonly string[]
  readonly listening: readonly number[]
  /** Processes that continued. */
  readonly left: number
  /** Processes of other people that ended. */
  readonly killed: number
  readonly out: string
  /** The reason why the command did not start. */
  readonly problem: string | null
}

/** A path of this machine, and its read-only path in the throw-away machine. */
export type Mount = readonly [from: string, at: string]

export interface BoxOptions {
  readonly mounts?: readonly Mount[]
  readonly env?: Readonly<Record<string, string>>
  /** Links to programs in one mount, for a guard that cannot mount over mounts. */
  readonly hasLinkedPrograms?: boolean
}

/** Directories of the real machine that programs need; read-only. */
export const PROGRAMS = ['bin', 'sbin', 'lib', 'lib64', 'libexec', 'share', 'include', 'local'].filter((name) =>
  fs.existsSync(`/usr/${name}`),
)

/**
 * An account without rights on this machine. An account other than root has none already; in the throw-away machine it
 * is root.
 */
export const ACCOUNT = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Limits for scripts that fill the machine. */
const BOUNDS = [`--nproc=${ACCOUNT.uid === undefined ? 8_192 : 1_024}`, '--fsize=268435456', '--core=0']

const RETRIES = 20
const PAUSE_MS = 1_000

const DRIVER = fileURLToPath(new URL('driver.py', import.meta.url))

/**
 * Runs a job in a throw-away machine: the directory `root`, with separate namespaces for users, processes, files, names
 * and network. Nothing of this machine can be written there.
 * @throws Error if the machine did not start: the result of a command that did not run is unknown
 */
export async function runBox(root: string, job: Job, options: BoxOptions = {}): Promise<Result> {
  fs.writeFileSync(`${root}/listen/job.json`, JSON.stringify(job))
  fs.copyFileSync(DRIVER, `${root}/listen/driver.py`)
  const argv = ['prlimit', ...BOUNDS, 'bwrap', ...boxArguments(root, options)]
  let { stdout, stderr } = await start(argv, job.limit + 25)
  // While other machines end, the kernel may lack namespaces. The command has not started.
  for (let tries = 0; !stdout.startsWith('started\n') && tries < RETRIES; tries++) {
    await setTimeout(PAUSE_MS)
    ;({ stdout, stderr } = await start(argv, job.limit + 25))
  }
  if (!stdout.startsWith('started\n'))
    throw new Error(
      `The throw-away machine did not start. It needs bwrap, prlimit and /usr/bin/python3, and paths that every account may pass. ${stderr.trim()}`,
    )
  return readResult(`${root}/listen/result.json`)
}

function start(
  [program = '', ...args]: readonly string[],
  seconds: number,
): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    let [stdout, stderr] = ['', '']
    const child = spawn(program, args, Object.assign({ cwd: '/', env: { PATH: process.env.PATH } }, ACCOUNT))
    const timer = globalThis.setTimeout(() => child.kill('SIGKILL'), seconds * 1_000)
    child.stdin.end()
    child.stdout.on('data', (data) => (stdout += data))
    child.stderr.on('data', (data) => (stderr += data))
    child.once('error', (error) => (stderr += error.message))
    child.once('close', () => {
      clearTimeout(timer)
      resolve({ stdout, stderr })
    })
  })
}

/** A command that kills the driver leaves no result. That is an effect on other processes. */
function readResult(path: string): Result {
  try {
    return JSON.parse(fs.readFileSync(path, 'utf8')) as Result
  } catch {
    return { connected: [], listening: [], left: 0, killed: 1, out: '', problem: null }
  }
}

function boxArguments(root: string, { mounts = [], env = {}, hasLinkedPrograms = false }: BoxOptions): string[] {
  const programs: readonly Mount[] = hasLinkedPrograms
    ? [['/usr', '/programs']]
    : PROGRAMS.map((name) => [`/usr/${name}`, `/usr/${name}`])
  const variables = Object.entries(Object.assign({ HOME: '/root', PATH, LANG: 'C.UTF-8' }, env))
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--uid', '0', '--gid', '0', '--cap-add', 'ALL'],
    ...['--bind', root, '/', '--dev', '/dev', '--proc', '/proc'],
    ...[...programs, ...mounts].flatMap(([from, at]) => (fs.existsSync(from) ? ['--ro-bind', from, at] : [])),
    ...['--clearenv', ...variables.flatMap(([name, value]) => ['--setenv', name, value])],
    ...['--chdir', '/ws', '/usr/bin/python3', '/listen/driver.py'],
  ]
}

const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/tools/usr/bin:/tools/bin'
