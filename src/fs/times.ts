import { types } from 'node:util'
import { Errno } from '../../overlay/index.js'
import { invalidType } from './args.js'
import { TAKES_ANY_TIME, WHOLE_MICROSECONDS } from './host-traits.js'

/** Times as Node's own functions take them, and as the host's libuv passes them to the kernel. */

/** Seconds since 1970, from a number, a numeric string or a Date. Throws ERR_INVALID_ARG_TYPE. */
export function unixTime(value: unknown, name = 'time'): number {
  if (typeof value === 'string' && !Number.isNaN(Number(value))) return Number(value)
  if (typeof value === 'number' && Number.isFinite(value)) return value < 0 ? Date.now() / 1000 : value
  if (types.isDate(value)) return value.getTime() / 1000
  throw invalidType(name, 'an instance of Date or an Time in seconds', value)
}

/** Seconds as nanoseconds; undefined if the time stays as it is. Throws EINVAL. */
export function timeNs(seconds: number): bigint | undefined {
  if (!Number.isFinite(seconds)) {
    if (!TAKES_ANY_TIME) throw new Errno('EINVAL')
    return Number.isNaN(seconds) ? undefined : BigInt(Date.now()) * 1_000_000n
  }
  const whole = Math.trunc(seconds)
  let rest = Math.trunc((seconds - whole) * 1e9)
  if (WHOLE_MICROSECONDS) rest -= rest % 1000
  return BigInt(whole) * 1_000_000_000n + BigInt(rest)
}

/** A pair of times as attributes to set. Throws ERR_INVALID_ARG_TYPE, EINVAL. */
export function readTimes(atime: unknown, mtime: unknown): { atimeNs?: bigint; mtimeNs?: bigint } {
  const [atimeNs, mtimeNs] = [timeNs(unixTime(atime)), timeNs(unixTime(mtime))]
  return { ...(atimeNs !== undefined && { atimeNs }), ...(mtimeNs !== undefined && { mtimeNs }) }
}
