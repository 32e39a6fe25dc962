import childProcess from 'node:child_process'
import { promisify } from 'node:util'
import { isWithin } from '../overlay/index.js'
import type { Session } from './core/api.js'
import { type DenialError, denialError } from './core/denials.js'
import { GovernedChild } from './governed-child.js'
import { behind } from './session-fs.js'

/** What a host may start while a tool call runs. */
export interface HostProgramsOptions {
  /** A program, by its absolute path, that may be started within a tool call: one that contains what it is told to run. */
  readonly shell?: string | undefined
}

type Current = () => Session
type Call = (...args: unknown[]) => unknown

/**
 * A `child_process` for a host's whole process, which never asked for a session. `spawn` of ripgrep runs in the session; any
 * other program is the host's own outside of tool calls, and refused within one.
 * @param session asked anew by each call; where it throws, the call fails
 */
export function hostPrograms(
  session: Session | (() => Session),
  { shell }: HostProgramsOptions = {},
): typeof childProcess {
  const current = typeof session === 'function' ? session : () => session
  const face: Record<string, unknown> = {}
  for (const name of Object.keys(childProcess)) {
    const real: unknown = Reflect.get(childProcess, name)
    if (name === 'ChildProcess') face[name] = childClass(current)
    else if (name === 'spawn') face[name] = spawning(current, shell)
    else if (typeof real === 'function') face[name] = refusing(name, callable(real), current)
  }
  return face as unknown as typeof childProcess
}

function callable(value: object): Call {
  return (...args) => (typeof value === 'function' ? Reflect.apply(value, childProcess, args) : undefined)
}

function spawning(current: Current, shell: string | undefined): Call {
  return function spawn(...given) {
    const [program, ...rest] = given
    const [args, options] = Array.isArray(rest[0]) ? [rest[0].map(String), rest[1]] : [[], rest[1] ?? rest[0]]
    const by = typeof options === 'object' && options !== null ? options : {}
    const inShell = 'shell' in by && by.shell !== undefined && by.shell !== false ? by.shell : undefined
    if (typeof program === 'string' && inShell === undefined && RIPGREP.test(program)) {
      const cwd = 'cwd' in by && by.cwd !== undefined ? String(by.cwd) : process.cwd()
      return ripgrep(current, [program, ...args], cwd)
    }
    const isContained = shell !== undefined && (inShell ?? program) === shell
    const refused = isContained ? undefined : refusal(current, 'spawn', program)
    if (refused !== undefined) return failed(String(program), args, refused)
    return Reflect.apply(childProcess.spawn, childProcess, given)
  }
}

const RIPGREP = /(?:^|[\\/])rg(?:\.exe)?$/i

/** Its directory is the root where it was to start outside of the workspace: hosts name what is searched by absolute paths. */
function ripgrep(current: Current, [program = '', ...args]: readonly string[], cwd: string): GovernedChild {
  return new GovernedChild(program, args, async (options) => {
    const session = current()
    const { root } = behind(session).view
    return session.exec([program, ...args], { ...options, cwd: isWithin(cwd, root) ? cwd : root })
  })
}

/** Ways to start a program that are not told apart: each is refused as it fails. */
function refusing(name: string, real: Call, current: Current): Call {
  const face: Call = (...args) => {
    const refused = refusal(current, name, args[0])
    if (refused === undefined) return real(...args)
    if (name === 'spawnSync') return { ...NOTHING, error: refused }
    if (name.endsWith('Sync')) throw refused
    const child = failed(String(args[0]), [], refused)
    const told = args.at(-1)
    if (typeof told === 'function') child.once('error', (error) => Reflect.apply(told, undefined, [error, '', '']))
    return child
  }
  const original: unknown = Reflect.get(childProcess, name)
  const promised = async (...args: unknown[]) => {
    const refused = refusal(current, name, args[0])
    if (refused !== undefined) throw refused
    return typeof original === 'function' ? Reflect.apply(promisify(original), undefined, args) : undefined
  }
  return Object.defineProperty(face, promisify.custom, { value: promised })
}

const NOTHING = { pid: 0, output: null, stdout: null, stderr: null, status: null, signal: null }

function failed(program: string, args: readonly string[], error: unknown): GovernedChild {
  return new GovernedChild(program, args, () => Promise.reject(error))
}

/** Undefined outside of tool calls. Where the session cannot be had, what that failed with. */
function refusal(current: Current, call: string, program: unknown): unknown {
  try {
    if (behind(current()).tool() === undefined) return undefined
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
