import { constants } from 'node:fs'
import { pathText } from '../../overlay/path.js'
import type { Follow } from '../../overlay/resolve.js'

/** open(2) with O_CREAT refuses a name with a slash at its end before it looks where the name leads. */
export function followOf(path: unknown, keepLink: boolean, flags: number): Follow {
  if (flags & constants.O_CREAT && pathText(path).endsWith('/')) return 'exact'
  return keepLink ? 'nofollow' : 'follow'
}

/** The permission bits a new file gets. */
export function createdMode(mode: number): number {
  return mode & 0o7777 & ~process.umask()
}
