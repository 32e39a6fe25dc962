import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { isWithin } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { ORCHESTRATION } from '../core/layout.js'
import { userHome } from './home.js'

/**
 * Where programs of the person's are looked for. A place in a workspace is never one of them: what lies there came with a
 * clone, or an agent wrote it, and npm, direnv and people put such places on `PATH`.
 */

/** What there is on every system, for a `PATH` that names nothing else. */
const SYSTEM = ['/usr/local/bin', '/usr/bin', '/bin'].join(delimiter)

/** Where the person is. */
interface Here {
  readonly cwd: string
  readonly home: string
}

/**
 * The environment of a program that runs outside of a container: ours, with a `PATH` that has no relative place, and none in a
 * workspace or in the repository of the current directory.
 */
export function ownEnv(env: NodeJS.ProcessEnv = process.env, here = hereNow()): NodeJS.ProcessEnv {
  const kept = placesOf(env).filter((place) => isAbsolute(place) && !isInTree(place, here))
  // Windows spells it `Path`, and a copy of the environment tells both apart.
  const others = Object.entries(env).filter(([name]) => name.toUpperCase() !== 'PATH')
  return { ...Object.fromEntries(others), PATH: kept.join(delimiter) || SYSTEM }
}

/** What the bare name of a program means. */
export interface FoundProgram {
  /** The program outside of every workspace, absolute. */
  readonly path?: string
  /** The program in a workspace that a shell would start in its place. */
  readonly shadow?: string
}

/** Looks a program up on `PATH`, as a shell does, and tells the programs of a workspace from the person's. */
export function findProgram(name: string, env: NodeJS.ProcessEnv = process.env): FoundProgram {
  const here = hereNow()
  const found = placesOf(env)
    .map((place) => resolve(here.cwd, place, name))
    .filter(isProgram)
  const isOwn = (path: string) => !isInTree(dirname(path), here)
  const path = found.find(isOwn)
  const [first] = found
  const shadow = first === undefined || first === path ? undefined : first
  return { ...defined({ path, shadow }) }
}

/**
 * Whether a variable's command line names something in a workspace.
 * @param value words for a shell: an editor or a pager with its options.
 */
export function namesTree(value: string): string | undefined {
  const here = hereNow()
  const paths = value.split(/[\s'"]+/).filter((word) => word.includes('/'))
  return paths.map((word) => resolve(here.cwd, word)).find((path) => existsSync(path) && isInTree(path, here))
}

/** @throws EscrowError `unsupported` where a variable names a program in a workspace. */
export function refuseTree(variable: string, value: string): void {
  const path = namesTree(value)
  if (path === undefined) return
  throw new EscrowError('unsupported', `${variable} names a program in the workspace: ${path}.`, {
    hint: `escrow starts no program of a workspace. Set ${variable} to one outside of it.`,
  })
}

/** Whether a path lies in a workspace, or in the repository of the current directory. */
export function isInTree(path: string, { cwd, home }: Here = hereNow()): boolean {
  const place = physical(path)
  if (rootWith(ORCHESTRATION, place) !== undefined) return true
  const repository = rootWith('.git', physical(cwd))
  // A home directory can be a repository of settings; the programs in it are the person's all the same.
  const isHome = repository === physical(home)
  return repository !== undefined && !isHome && isWithin(place, repository)
}

function placesOf({ PATH = '' }: NodeJS.ProcessEnv): string[] {
  return PATH.split(delimiter)
}

/** The nearest directory, from a path up, that has such a name in it. */
function rootWith(name: string, path: string): string | undefined {
  if (existsSync(join(path, name))) return path
  const parent = dirname(path)
  return parent === path ? undefined : rootWith(name, parent)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Without links; what is not there is taken as it is spelt. */
function physical(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

function hereNow(): Here {
  return { cwd: currentDirectory(), home: userHome() }
}

/** In a directory that was removed nothing can be found. */
function currentDirectory(): string {
  try {
    return process.cwd()
  } catch {
    return '/'
  }
}
