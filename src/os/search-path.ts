import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { isWithin } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { ORCHESTRATION } from '../core/layout.js'
import { userHome } from './home.js'

/**
 * Finds the person's programs. A directory in a workspace is never searched: a clone brought its content, or an agent
 * wrote it, and npm, direnv and people put such directories on `PATH`.
 */

/** The directories of every system, for a `PATH` without any other. */
const SYSTEM = ['/usr/local/bin', '/usr/bin', '/bin'].join(delimiter)

/** The person's current and home directory. */
interface Here {
  readonly cwd: string
  readonly home: string
}

/**
 * Returns the environment of a program outside a container: ours, with a `PATH` without relative directories, and without any
 * in a workspace or in the repository of the current directory.
 */
export function ownEnv(env: NodeJS.ProcessEnv = process.env, here = hereNow()): NodeJS.ProcessEnv {
  const places = placesOf(env).filter((place) => isAbsolute(place) && !isInTree(place, here))
  // Windows spells it `Path`, and a copy of the environment is case-sensitive.
  const others = Object.entries(env).filter(([name]) => name.toUpperCase() !== 'PATH')
  return { ...Object.fromEntries(others), PATH: places.join(delimiter) || SYSTEM }
}

/** The result of a search for a program's bare name. */
export interface FoundProgram {
  /** The program outside every workspace, absolute. */
  readonly path?: string
  /** The program in a workspace that a shell would start instead. */
  readonly shadow?: string
  /** The first program of this name in a workspace, also if it comes after the person's own. */
  readonly inTree?: string
}

/** Searches `PATH` for a program as a shell does, and separates the programs of a workspace from the person's. */
export function findProgram(name: string, env: NodeJS.ProcessEnv = process.env): FoundProgram {
  const here = hereNow()
  const found = placesOf(env)
    .map((place) => resolve(here.cwd, place, name))
    .filter(isProgram)
  const isOwn = (path: string) => !isInTree(dirname(path), here)
  const path = found.find(isOwn)
  const [first] = found
  const shadow = first === undefined || first === path ? undefined : first
  return { ...defined({ path, shadow, inTree: found.find((each) => !isOwn(each)) }) }
}

/**
 * Returns the path in a workspace that a variable's command line names; undefined if it names none.
 * @param value words for a shell: an editor or a pager with its options
 */
export function namesTree(value: string): string | undefined {
  const here = hereNow()
  const paths = value.split(/[\s'"]+/).filter((word) => word.includes('/'))
  return paths.map((word) => resolve(here.cwd, word)).find((path) => existsSync(path) && isInTree(path, here))
}

/** @throws EscrowError `unsupported` if a variable names a program in a workspace. */
export function refuseTree(variable: string, value: string): void {
  const path = namesTree(value)
  if (path === undefined) return
  throw new EscrowError('unsupported', `${variable} names a program in the workspace: ${path}.`, {
    hint: `escrow starts no program from a workspace. Set ${variable} to a program outside it.`,
  })
}

/** Returns whether a path is in a workspace, or in the repository of the current directory. */
export function isInTree(path: string, { cwd, home }: Here = hereNow()): boolean {
  const place = physical(path)
  if (rootWith(ORCHESTRATION, place) !== undefined) return true
  const repository = rootWith('.git', physical(cwd))
  // A home directory can be a repository of settings. The programs in it are still the person's.
  const isHome = repository === physical(home)
  return repository !== undefined && !isHome && isWithin(place, repository)
}

function placesOf({ PATH = '' }: NodeJS.ProcessEnv): string[] {
  return PATH.split(delimiter)
}

/** The nearest directory, from a path upwards, that has an entry of this name. */
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

/** The path without links. A path that does not exist stays as it is. */
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

/** Nothing can be found from a directory that was removed. */
function currentDirectory(): string {
  try {
    return process.cwd()
  } catch {
    return '/'
  }
}
