import { constants } from 'node:fs'
import { type Follow, pathText } from '../../overlay/index.js'
import { Denied } from '../core/denials.js'
import { isWriting, readFlags } from './args.js'

/** open(2) with O_CREAT refuses a name with a slash at its end before it looks where the name leads. */
export function followOf(path: unknown, keepLink: boolean, flags: number): Follow {
  if (flags & constants.O_CREAT && pathText(path).endsWith('/')) return 'exact'
  return keepLink ? 'nofollow' : 'follow'
}

/** The permission bits a new file gets. */
export function createdMode(mode: number): number {
  return mode & 0o7777 & ~process.umask()
}

/** A whole read by such a flag would make the file, or empty it. Throws Denied. */
export function refuseWritingFlag(flag: unknown): void {
  if (!isWriting(readFlags(flag, 'r') & ~constants.O_RDWR)) return
  const message = 'fs.readFile is refused with a flag that can change the file.'
  throw new Denied({ reason: 'unsupported', message, hint: 'Use open, and read by the descriptor.' })
}
