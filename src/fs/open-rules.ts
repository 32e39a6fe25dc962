import { constants } from 'node:fs'
import { type Follow, pathText } from '../../overlay/index.js'
import { Denied } from '../core/denials.js'
import { isWriting, readFlags } from './args.js'

/** open(2) with O_CREAT refuses a name with a trailing slash before it resolves it. */
export function followOf(path: unknown, keepLink: boolean, flags: number): Follow {
  if (flags & constants.O_CREAT && pathText(path).endsWith('/')) return 'exact'
  return keepLink ? 'nofollow' : 'follow'
}

/** The permission bits of a new file. */
export function createdMode(mode: number): number {
  return mode & 0o7777 & ~process.umask()
}

/** Throws Denied for a flag with which a whole read would create or empty the file. */
export function refuseWritingFlag(flag: unknown): void {
  if (!isWriting(readFlags(flag, 'r') & ~constants.O_RDWR)) return
  const message = 'fs.readFile is refused with a flag that can change the file.'
  throw new Denied({ reason: 'unsupported', message, hint: 'Use open, and read by the descriptor.' })
}
