import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { codeOf, isWithin } from '../../../overlay/index.js'
import { makeDir, makeSymlink, removeTree } from '../../os/write.js'
import type { HomeMount, HomeView } from '../client-home.js'

/**
 * A home directory for a client without a namespace, where nothing can be mounted: links to the person's files, and to the copies of the
 * client's own directories. The links themselves grant nothing: the rules decide what can be read and written behind them.
 */
export interface OwnHome {
  /** `HOME`, and the variables of the client with the paths of its copies. */
  readonly env: Readonly<Record<string, string>>
  readonly writable: readonly string[]
  readonly readable: readonly string[]
}

const NONE: OwnHome = { env: {}, writable: [], readable: [] }

/**
 * Makes the home directory of one command.
 * @param dir its path, which an earlier one may have
 * @param base the person's home directory
 */
export function makeOwnHome(
  view: HomeView | undefined,
  dir: string,
  base: string = process.env.HOME || homedir(),
): OwnHome {
  const copies = view?.mounts.flatMap((mount) => (mount.copy === undefined ? [] : [{ at: mount.at, copy: mount.copy }]))
  if (view === undefined || copies === undefined || copies.length === 0) return NONE
  removeTree(dir)
  link(realpathSync(base), dir, copies)
  const env = Object.entries(view.env).map(([name, path]) => [name, copyAt(path, copies) ?? path])
  return { env: { ...Object.fromEntries(env), HOME: dir }, writable: copies.map(({ copy }) => copy), readable: [dir] }
}

type Copy = Required<Pick<HomeMount, 'at' | 'copy'>>

function link(from: string, to: string, copies: readonly Copy[]): void {
  makeDir(to, 0o700)
  for (const name of namesIn(from)) {
    const [path, place] = [join(from, name), join(to, name)]
    const copy = copyAt(path, copies)
    if (copy !== undefined) makeSymlink(copy, place)
    else if (isDirectory(path) && copies.some(({ at }) => isWithin(at, path))) link(path, place, copies)
    else makeSymlink(path, place)
  }
}

/** The copy of a directory, by any of its names. */
function copyAt(path: string, copies: readonly Copy[]): string | undefined {
  const physical = physicalOf(path)
  return copies.find(({ at }) => at === physical)?.copy
}

function physicalOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // A link that leads nowhere.
    return path
  }
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    if (codeOf(error) === 'EACCES') return []
    throw error
  }
}
