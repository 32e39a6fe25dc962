import childProcess from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { isWithin } from '../../overlay/index.js'
import type { Session } from '../core/api.js'
import { type DenialError, denialError } from '../core/denials.js'
import { findProgram } from '../host/search-path.js'
import { syncState } from '../session/index.js'
import { type ChildWork, GovernedChild } from './governed-child.js'

/** What a host may start while a tool call runs. */
export interface HostProgramsOptions {
  /** A program, by its absolute path, that may be started within a tool call: one that contains what it is told to run. */
  readonly shell?: string | undefined
  /** Directories of the host's own outside of the workspace: `git` may keep a repository of the host's there. */
  readonly hostDirectories?: readonly string[] | undefined
}

type Current = () => Session
type Call = (...args: unknown[]) => unknown

/**
 * A `child_process` for a host's whole process, which never asked for a session.
 *
 * - Ripgrep runs in the session and sees what is staged: within a tool call as a command of it, otherwise as a look that is not
 *   recorded and changes nothing.
 * - Within a tool call, `ps` may list processes, and `git` may record the workspace in a repository of the host's own.
 * - `git` does not bring the workspace back to an earlier state while changes wait for review.
 * - Any other program is the host's own outside of tool calls, and refused within one.
 *
 * A refused program of `spawn` starts, says why on stderr and exits with 126.
 * @param session asked anew by each call; where it throws, the call fails
 */
export function hostPrograms(
  session: Session | (() => Session),
  options: HostProgramsOptions = {},
): typeof childProcess {
  const current = typeof session === 'function' ? session : () => session
  const face: Record<string, unknown> = {}
  for (const name of Object.keys(childProcess)) {
    const real: unknown = Reflect.get(childProcess, name)
    if (name === 'ChildProcess') face[name] = childClass(current)
    else if (name === 'spawn') face[name] = governSpawn(current, options)
    else if (typeof real === 'function') face[name] = refuseProgram(name, callable(real), current)
  }
  return face as unknown as typeof childProcess
}

function callable(value: object): Call {
  return (...args) => (typeof value === 'function' ? Reflect.apply(value, childProcess, args) : undefined)
}

/** A call of `spawn`, its arguments by their names. */
interface Spawned {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly stdio: unknown
  /** The shell that runs it, or that there is one. */
  readonly shell: unknown
}

function spawnedBy([program, ...rest]: readonly unknown[]): Spawned {
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

function governSpawn(current: Current, { shell, hostDirectories = [] }: HostProgramsOptions): Call {
  return function spawn(...given) {
    const wanted = spawnedBy(given)
    const real = () => Reflect.apply(childProcess.spawn, childProcess, given)
    const { program, args, stdio } = wanted
    const isPlain = wanted.shell === undefined
    if (isPlain && RIPGREP.test(program)) return ripgrep(current, wanted)
    if (shell !== undefined && (wanted.shell ?? program) === shell) return real()
    const refused = refusal(current, 'spawn', program)
    if (isPlain && GIT.test(program)) {
      const deed = gitCommand(wanted, hostDirectories)
      if (deed === 'restores') return spawnAndRestore(current, wanted, refused, real)
      if (deed === 'records') return real()
    }
    if (refused === undefined) return real()
    const ps =
      isPlain && program === 'ps' && args.every((arg) => PS_WORD.test(arg)) ? findProgram('ps').path : undefined
    if (ps !== undefined) return Reflect.apply(childProcess.spawn, childProcess, [ps, ...given.slice(1)])
    return failedChild(program, args, refused, stdio)
  }
}

const RIPGREP = /(?:^|[\\/])rg(?:\.exe)?$/i
const GIT = /(?:^|[\\/])git(?:\.exe)?$/i
/** Options and columns of `ps`: none of its words starts anything. */
const PS_WORD = /^-?[A-Za-z0-9,]+$/

/** Its directory is the root where it was to start outside of the workspace: hosts name what is searched by absolute paths. */
function ripgrep(current: Current, { program, args, cwd, stdio }: Spawned): GovernedChild {
  const work: ChildWork = async (options) => {
    const session = current()
    const { view, tool, look } = syncState(session)
    const command = [program, ...args]
    const how = { ...options, cwd: isWithin(cwd, view.root) ? cwd : view.root }
    return tool() === undefined ? look(command, how) : session.exec(command, how)
  }
  return new GovernedChild(program, args, work, stdio)
}

/** Commands of git that write to its repository alone. */
const RECORDS = new Set(
  `add branch cat-file commit config diff diff-tree for-each-ref gc hash-object init log ls-files ls-tree rev-list rev-parse show
  status symbolic-ref update-index update-ref version write-tree`.split(/\s+/),
)
/** Commands of git that write to the files of its worktree. */
const RESTORES = new Set(
  'am apply checkout cherry-pick clean merge pull rebase reset restore revert stash switch'.split(' '),
)

/** What a `git` does to the workspace: `records`, in a repository of the host's own; `restores` its files. */
function gitCommand(
  { args, cwd, env }: Spawned,
  hostDirectories: readonly string[],
): 'records' | 'restores' | undefined {
  const at = args.findIndex((word, n) => !word.startsWith('-') && !GIT_VALUED.has(args[n - 1] ?? ''))
  const [command, options] = at === -1 ? [undefined, args] : [args[at], args.slice(0, at)]
  if (command === undefined) return options.every((word) => word === '--version') ? 'records' : undefined
  if (RESTORES.has(command)) return 'restores'
  // Other options can name programs, or another repository.
  const isPlain = options.every((word) => /^--(?:git-dir|work-tree)=/.test(word))
  const named = options.find((word) => word.startsWith('--git-dir='))?.slice('--git-dir='.length)
  const repository = resolve(cwd, named ?? env.GIT_DIR ?? '.')
  const isHosts = hostDirectories.some((dir) => isWithin(repository, resolve(dir)))
  return isPlain && isHosts && RECORDS.has(command) ? 'records' : undefined
}

/** Options of git whose value is the next word. */
const GIT_VALUED = new Set(['-c', '-C', '--git-dir', '--work-tree', '--namespace', '--config-env'])

/** A checkpoint brought back while changes wait would leave them staged on files that are not there any more. */
function spawnAndRestore(current: Current, wanted: Spawned, refused: unknown, real: () => unknown): GovernedChild {
  const work: ChildWork = async ({ onOutput, signal }) => {
    if (refused !== undefined) throw refused
    const { changes } = await current().changes()
    if (changes.length > 0) {
      const message = `${changes.length === 1 ? 'One change waits' : `${changes.length} changes wait`} for review, so the files below are not brought back.`
      throw denialError(
        { reason: 'access_denied', message: `Access Denied: ${message}`, hint: RESTORE_HINT },
        'spawn',
        wanted.program,
      )
    }
    const child = real()
    if (!(child instanceof childProcess.ChildProcess)) throw new Error(`${wanted.program} was not started.`)
    child.stdout?.on('data', (chunk) => onOutput?.(chunk, 'stdout'))
    child.stderr?.on('data', (chunk) => onOutput?.(chunk, 'stderr'))
    signal?.addEventListener('abort', () => child.kill())
    const [exitCode] = await once(child, 'close')
    return { exitCode: typeof exitCode === 'number' ? exitCode : null }
  }
  return new GovernedChild(wanted.program, wanted.args, work, wanted.stdio)
}

const RESTORE_HINT = 'Commit or discard what is staged first, or use the snapshots of the session.'

/** Ways to start a program that are not told apart: each is refused as it fails. */
function refuseProgram(name: string, real: Call, current: Current): Call {
  const face: Call = (...args) => {
    const refused = refusal(current, name, args[0])
    if (refused === undefined) return real(...args)
    if (name === 'spawnSync') return { ...NOTHING, error: refused }
    if (name.endsWith('Sync')) throw refused
    const child = failedChild(String(args[0]), [], refused)
    const told = args.at(-1)
    if (typeof told === 'function') child.once('close', () => Reflect.apply(told, undefined, [refused, '', '']))
    return child
  }
  const original: unknown = Reflect.get(childProcess, name)
  const promiseForm = async (...args: unknown[]) => {
    const refused = refusal(current, name, args[0])
    if (refused !== undefined) throw refused
    return typeof original === 'function' ? Reflect.apply(promisify(original), undefined, args) : undefined
  }
  return Object.defineProperty(face, promisify.custom, { value: promiseForm })
}

const NOTHING = { pid: 0, output: null, stdout: null, stderr: null, status: null, signal: null }

function failedChild(program: string, args: readonly string[], error: unknown, stdio?: unknown): GovernedChild {
  return new GovernedChild(program, args, () => Promise.reject(error), stdio)
}

/** Undefined outside of tool calls. Where the session cannot be had, what that failed with. */
function refusal(current: Current, call: string, program: unknown): unknown {
  try {
    if (syncState(current()).tool() === undefined) return undefined
  } catch (error) {
    return error
  }
  return notStarted(call, typeof program === 'string' ? program : '')
}

function notStarted(call: string, program: string): DenialError {
  const message = `Access Denied: '${program}' would run uncontained, so no tool call of the host starts it.`
  const hint = 'Run it as a command of a session, which is contained.'
  return denialError({ reason: 'access_denied', message, hint }, `${call} ${program}`, program)
}

/** What is made by hand, and whatever else is a child of a program. */
function childClass(current: Current): unknown {
  const { ChildProcess } = childProcess
  return class extends ChildProcess {
    static override [Symbol.hasInstance](value: unknown): boolean {
      return value instanceof ChildProcess || value instanceof GovernedChild
    }

    spawn(options: { readonly file?: unknown }): unknown {
      const refused = refusal(current, 'spawn', options.file)
      if (refused !== undefined) throw refused
      const spawn: unknown = Reflect.get(ChildProcess.prototype, 'spawn')
      return typeof spawn === 'function' ? Reflect.apply(spawn, this, [options]) : undefined
    }
  }
}
