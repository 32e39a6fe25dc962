import type { EntryType } from '../../overlay/index.js'
import type { Access } from '../core/decision.js'
import type { Denial } from '../core/denials.js'
import { protectedPath } from './messages.js'

/**
 * Finds bare repositories. Git treats any directory with HEAD, objects and refs (or HEAD and commondir) as a repository, and runs the
 * programs that its config and hooks name, so the check goes by contents and not by the name `.git`.
 */

/** The entries that make a directory a repository, and those that git runs programs from. */
const PARTS = /(?:^|\/)(head|objects|refs|commondir|config|config\.worktree|hooks)(?=\/|$)/gi

/**
 * @returns the directory that an entry at `path` would make, or that already is, a repository which contains it.
 * @param typeOf the type of a path in the merged view.
 */
export function bareRepositoryAt(path: string, typeOf: (path: string) => EntryType | undefined): string | undefined {
  for (const { index, 1: part = '' } of path.matchAll(PARTS)) {
    const dir = path.slice(0, index)
    const has = (name: string) =>
      part.toLowerCase() === name ||
      [name, name.toUpperCase()].some((each) => typeOf(dir === '' ? each : `${dir}/${each}`) !== undefined)
    if (has('head') && (has('commondir') || (has('objects') && has('refs')))) return dir
  }
  return undefined
}

/** The denial for a path that would be part of such a repository. */
export function repositoryDenial(
  { effect, path, asked }: Access,
  typeOf: (path: string) => EntryType | undefined,
): Denial | undefined {
  if (effect === 'remove') return undefined
  const dir = bareRepositoryAt(path, typeOf)
  if (dir === undefined) return undefined
  return protectedPath(
    asked,
    path,
    `git takes ${dir || 'the root'} for a repository, and runs what its files say`,
    false,
  )
}
