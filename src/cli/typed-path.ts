import { existsSync, realpathSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { relativeName } from '../surface/index.js'
import type { Context } from './context.js'

/** The root of a workspace, and the directory in which a command was started: absolute paths without links. */
export interface Place {
  readonly root: string
  readonly directory: string
}

export function placeOf({ root }: { readonly root: string }, { directory }: Pick<Context, 'directory'>): Place {
  return { root, directory: realpathSync(directory()) }
}

/**
 * Resolves a typed path to its name in the workspace. It is relative to the root, as escrow prints paths. If it names nothing there, it is
 * relative to the directory of the command, if it names something there.
 * @param isKnown whether a name, relative to the root, names something; by default, whether there is such a file on disk
 */
export function nameInWorkspace(
  typed: string,
  { root, directory }: Place,
  isKnown = (name: string) => existsSync(join(root, name)),
): string {
  const name = relativeName(typed, root)
  if (isAbsolute(typed)) return name
  const here = relative(root, resolve(directory, typed)).split(sep).join('/')
  return [name, here].find((each) => !isOutside(each) && isKnown(each)) ?? name
}

function isOutside(name: string): boolean {
  return name === '..' || name.startsWith('../')
}
