import type { EntryType } from '../../overlay/index.js'
import type { Access } from '../core/decision.js'
import type { Denial } from '../core/denials.js'
import { protectedPath } from './messages.js'

/**
 * A repository needs no `.git`: git takes any directory for one that has HEAD, objects and refs (or HEAD and commondir), and runs
 * what its config and hooks say as soon as somebody calls git in it. So its name says nothing, and we go by what is in it.
 */

/** What makes a directory a repository, and what git runs of one. */
const PARTS = /(?:^|\/)(head|objects|refs|commondir|config|config\.worktree|hooks)(?=\/|$)/gi

/**
 * The directory that is such a repository once there is something at a path, where the path is a part of it.
 * @param typeOf what stands at a path, of what is on disk and staged.
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

/** Why nothing may stand at a path, where it would be a part of such a repository. */
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
