import childProcess from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { isWithin } from '../../overlay/index.js'
import type { Session } from '../core/api.js'
import { type DenialError, denialError } from '../core/denials.js'
import { findProgram } from '../os/search-path.js'
import { syncState } from '../session/index.js'
import { type ChildWork, GovernedChild } from './governed-child.js'

/** Options of {@link hostPrograms}: programs that a host may start during a tool call. */
export interface HostProgramsOptions {
  /** Absolute path of a program that may start within a tool call, because it contains the commands that it runs. */
  readonly shell?: string | undefined
  /** The host's own directories outside the workspace, where `git` may keep a repository of the host. */
  readonly hostDirectories?: readonly string[] | undefined
}

type CurrentSession = () => Session
type Call = (...args: unknown[]) => unknown

/**
 * Returns a `child_process` for the whole process of a host that does not know about sessions.
 *
 * - Ripgrep runs in the session and sees staged files: within a tool call as a command of that call, otherwise read-only and without a
 *   record.
 * - Within a tool call, `ps` may list processes, and `git` may record the workspace in a repository of the host's own.
 * - `git` cannot restore an earlier state of the workspace while changes wait for review.
 * - Any other program runs outside tool calls, and is refused within one.
 *
 * A program that `spawn` refuses appears to start, prints the reason on stderr and exits with 126.
 * @param session the session, or a function that each call evaluates again; if it throws, the call fails
 */
export function hostPrograms(
  session: Session | (() => Session),
  options: HostProgramsOptions = {},
): typeof childProcess {
  const current = typeof session === 'function' ? session : () => session
  const facade: Record<string, unknown> = {}
  for (const name of Object.keys(childProcess)) {
    const real: unknown = Reflect.get(childProcess, name)
    if (name === 'ChildProcess') facade[name] = childClass(current)
    else if (name === 'spawn') facade[name] = governSpawn(current, options)
    else if (typeof real === 'function') facade[name] = refuseProgram(name, callable(real), current)
  }
  return facade as unknown as typeof childProcess
}

function callable(value: object): Call {
  return (...args) => (typeof value === 'function' ? Reflect.apply(value, childProcess, args) : undefined)
}

/** The arguments of a `spawn` call, by name. */
interface SpawnCall {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly stdio: unknown
  /** The shell that runs it, or `true` for the default shell. */
  readonly shell: unknown
}

function parseSpawn([program, ...rest]: readonly unknown[]): SpawnCall {
  const [args, options] = Array.isArray(rest[0]) ? [rest[0].map(String), rest[1]] : [[], rest[1] ?? rest[0]]
  const by: object = typeof options === 'object' && options !== null ? options : {}
  const { shell, cwd, env, stdio }: Record<string, unknown> = { ...by }
  const variables = typeof env === 'object' && env !== null ? Object.entries(env) : Object.entries(process.env)
  return {
    program: typeof program === 'string' ? program : '',
    args,
    cwd: cwd === undefined || cwd === null ? process.cwd() : String(cwd),
    env: Object.fromEntries(variables.map(([name, value]) => [name, value === undefined ? undefined : String(value)])),
    stdio,
    shell: shell === false ? undefined : shell,
  }
}

function governSpawn(current: CurrentSession, { shell, hostDirectories = [] }: HostProgramsOptions): Call {
  return function spawn(...spawnArgs) {
    const spawnCall = parseSpawn(spawnArgs)
    const real = () => Reflect.apply(childProcess.spawn, childProcess, spawnArgs)
    const { program, args, stdio } = spawnCall
    const isPlain = spawnCall.shell === undefined
    if (isPlain && RIPGREP.test(program)) return spawnRipgrep(current, spawnCall)
    if (shell !== undefined && (spawnCall.shell ?? program) === shell) return real()
    const refused = refusalOf(current, 'spawn', program)
    if (isPlain && GIT.test(program)) {
      const effect = gitEffect(spawnCall, hostDirectories)
      if (effect === 'restores') return spawnAndRestore(current, spawnCall, refused, real)
      if (effect === 'records') return real()
    }
    if (refused === undefined) return real()
    const ps =
      isPlain && program === 'ps' && args.every((arg) => PS_ARGUMENT.test(arg)) ? findProgram('ps').path : undefined
    if (ps !== undefined) return Reflect.apply(childProcess.spawn, childProcess, [ps, ...spawnArgs.slice(1)])
    return failedChild(program, args, refused, stdio)
  }
}

const RIPGREP = /(?:^|[\\/])rg(?:\.exe)?$/i
const GIT = /(?:^|[\\/])git(?:\.exe)?$/i
/** Options and columns of `ps`, none of which starts a program. */
const PS_ARGUMENT = /^-?[A-Za-z0-9,]+$/

/** Runs in the workspace root if its working directory is outside: hosts pass absolute paths to search. */
function spawnRipgrep(current: CurrentSession, { program, args, cwd, stdio }: SpawnCall): GovernedChild {
  const work: ChildWork = async (options) => {
    const session = current()
    const { view, tool, runReadOnly } = syncState(session)
    const command = [program, ...args]
    const execOptions = { ...options, cwd: isWithin(cwd, view.root) ? cwd : view.root }
    return tool() === undefined ? runReadOnly(command, execOptions) : session.exec(command, execOptions)
  }
  return new GovernedChild(program, args, work, stdio)
}

/** Git commands that write only to the repository. */
const RECORDING_COMMANDS = new Set(
  `add branch cat-file commit config diff diff-tree for-each-ref gc hash-object init log ls-files ls-tree rev-list rev-parse show
  status symbolic-ref update-index update-ref version write-tree`.split(/\s+/),
)
/** Git commands that write to files of the worktree. */
const RESTORING_COMMANDS = new Set(
  'am apply checkout cherry-pick clean merge pull rebase reset restore revert stash switch'.split(' '),
)

/** The effect of a `git` command on the workspace: `records` it in a repository of the host's own, or `restores` its files. */
function gitEffect(
  { args, cwd, env }: SpawnCall,
  hostDirectories: readonly string[],
): 'records' | 'restores' | undefined {
  const at = args.findIndex((word, n) => !word.startsWith('-') && !GIT_VALUE_OPTIONS.has(args[n - 1] ?? ''))
  const [command, options] = at === -1 ? [undefined, args] : [args[at], args.slice(0, at)]
  if (command === undefined) return options.every((word) => word === '--version') ? 'records' : undefined
  if (RESTORING_COMMANDS.has(command)) return 'restores'
  // Other options can name programs or another repository.
  const isPlain = options.every((word) => /^--(?:git-dir|work-tree)=/.test(word))
  const gitDir = options.find((word) => word.startsWith('--git-dir='))?.slice('--git-dir='.length)
  const repository = resolve(cwd, gitDir ?? env.GIT_DIR ?? '.')
  const isHosts = hostDirectories.some((dir) => isWithin(repository, resolve(dir)))
  return isPlain && isHosts && RECORDING_COMMANDS.has(command) ? 'records' : undefined
}

/** Options of git whose value is the next word. */
const GIT_VALUE_OPTIONS = new Set(['-c', '-C', '--git-dir', '--work-tree', '--namespace', '--config-env'])

/** Refuses a restore while changes wait for review: it would leave them staged on replaced files. */
function spawnAndRestore(
  current: CurrentSession,
  spawnCall: SpawnCall,
  refused: unknown,
  real: () => unknown,
): GovernedChild {
  const work: ChildWork = async ({ onOutput, signal }) => {
    if (refused !== undefined) throw refused
    const { changes } = await current().changes()
    if (changes.length > 0) {
      const message = `${changes.length === 1 ? 'One change waits' : `${changes.length} changes wait`} for review, so the files below are not brought back.`
      throw denialError(
        { reason: 'access_denied', message: `Access Denied: ${message}`, hint: RESTORE_HINT },
        'spawn',
        spawnCall.program,
      )
    }
    const child = real()
    if (!(child instanceof childProcess.ChildProcess)) throw new Error(`${spawnCall.program} was not started.`)
    child.stdout?.on('data', (chunk) => onOutput?.(chunk, 'stdout'))
    child.stderr?.on('data', (chunk) => onOutput?.(chunk, 'stderr'))
    signal?.addEventListener('abort', () => child.kill())
    const [exitCode] = await once(child, 'close')
    return { exitCode: typeof exitCode === 'number' ? exitCode : null }
  }
  return new GovernedChild(spawnCall.program, spawnCall.args, work, spawnCall.stdio)
}

const RESTORE_HINT = 'Commit or discard what is staged first, or use the snapshots of the session.'

/** Governs a function other than `spawn`: a refusal takes the form of that function's own failure. */
function refuseProgram(name: string, real: Call, current: CurrentSession): Call {
  const governed: Call = (...args) => {
    const refused = refusalOf(current, name, args[0])
    if (refused === undefined) return real(...args)
    if (name === 'spawnSync') return { ...NOTHING, error: refused }
    if (name.endsWith('Sync')) throw refused
    const child = failedChild(String(args[0]), [], refused)
    const callback = args.at(-1)
    if (typeof callback === 'function') child.once('close', () => Reflect.apply(callback, undefined, [refused, '', '']))
    return child
  }
  const original: unknown = Reflect.get(childProcess, name)
  const promiseForm = async (...args: unknown[]) => {
    const refused = refusalOf(current, name, args[0])
    if (refused !== undefined) throw refused
    return typeof original === 'function' ? Reflect.apply(promisify(original), undefined, args) : undefined
  }
  return Object.defineProperty(governed, promisify.custom, { value: promiseForm })
}

const NOTHING = { pid: 0, output: null, stdout: null, stderr: null, status: null, signal: null }

function failedChild(program: string, args: readonly string[], error: unknown, stdio?: unknown): GovernedChild {
  return new GovernedChild(program, args, () => Promise.reject(error), stdio)
}

/** The refusal of a program; undefined outside tool calls. If the session is unavailable, its error. */
function refusalOf(current: CurrentSession, call: string, program: unknown): unknown {
  try {
    if (syncState(current()).tool() === undefined) return undefined
  } catch (error) {
    return error
  }
  return uncontainedDenial(call, typeof program === 'string' ? program : '')
}

function uncontainedDenial(call: string, program: string): DenialError {
  const message = `Access Denied: '${program}' would run without containment, so no tool call may start it.`
  const hint = 'Run it as a command of a session; those are contained.'
  return denialError({ reason: 'access_denied', message, hint }, `${call} ${program}`, program)
}

/** The `ChildProcess` class: `new` children are governed, and `instanceof` accepts governed children. */
function childClass(current: CurrentSession): unknown {
  const { ChildProcess } = childProcess
  return class extends ChildProcess {
    static override [Symbol.hasInstance](value: unknown): boolean {
      return value instanceof ChildProcess || value instanceof GovernedChild
    }

    spawn(options: { readonly file?: unknown }): unknown {
      const refused = refusalOf(current, 'spawn', options.file)
      if (refused !== undefined) throw refused
      const spawn: unknown = Reflect.get(ChildProcess.prototype, 'spawn')
      return typeof spawn === 'function' ? Reflect.apply(spawn, this, [options]) : undefined
    }
  }
}
