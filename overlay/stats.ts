import fs, { type BigIntStats, type Stats } from 'node:fs'
import type { Inode } from './upper.js'

/** Stats of staged entries, in the host's own classes, so that `instanceof` and every method work. */

const TYPE_BITS = { file: fs.constants.S_IFREG, dir: fs.constants.S_IFDIR, symlink: fs.constants.S_IFLNK }
const BLOCK = 512
const BLKSIZE = 4096
const MS = 1_000_000n

const bigIntStatsPrototype = Object.getPrototypeOf(fs.lstatSync('/', { bigint: true })) as object

export function statsOf(inode: Inode, dev: number): Stats {
  const stats = Object.create(fs.Stats.prototype) as Stats
  return Object.assign(
    stats,
    numbersOf(inode, dev),
    datesOf(inode, (ns) => Math.round(milliseconds(ns))),
  )
}

/** Node's stats for an absent path: every field is zero. */
export function absentStats(bigint: boolean): Stats | BigIntStats {
  const sample = fs.lstatSync('/', { bigint }) as Stats | BigIntStats
  const zeros: Record<string, number | bigint | Date> = {}
  for (const [key, value] of Object.entries(sample)) zeros[key] = typeof value === 'bigint' ? 0n : 0
  for (const key of ['atime', 'mtime', 'ctime', 'birthtime']) zeros[key] = new Date(0)
  return Object.assign(Object.create(Object.getPrototypeOf(sample)), zeros)
}

function numbersOf(inode: Inode, dev: number) {
  const size = inode.size
  return {
    dev,
    mode: inode.mode | TYPE_BITS[inode.type],
    nlink: linksOf(inode),
    uid: inode.uid,
    gid: inode.gid,
    rdev: 0,
    blksize: BLKSIZE,
    ino: inode.ino,
    size,
    blocks: Math.ceil(size / BLKSIZE) * (BLKSIZE / BLOCK),
    atimeMs: milliseconds(inode.atimeNs),
    mtimeMs: milliseconds(inode.mtimeNs),
    ctimeMs: milliseconds(inode.ctimeNs),
    birthtimeMs: milliseconds(inode.birthtimeNs),
  }
}

export function bigStatsOf(inode: Inode, dev: number): BigIntStats {
  const stats = Object.create(bigIntStatsPrototype) as BigIntStats
  const numbers = numbersOf(inode, dev)
  const whole: Record<string, bigint> = {}
  for (const [key, value] of Object.entries(numbers)) whole[key] = BigInt(Math.floor(value))
  return Object.assign(stats, whole, {
    atimeNs: inode.atimeNs,
    mtimeNs: inode.mtimeNs,
    ctimeNs: inode.ctimeNs,
    birthtimeNs: inode.birthtimeNs,
    // Node truncates to whole milliseconds here, and rounds the number fields.
    ...datesOf(inode, (ns) => Number(ns / MS)),
  })
}

function datesOf(inode: Inode, toMs: (ns: bigint) => number) {
  return {
    atime: new Date(toMs(inode.atimeNs)),
    mtime: new Date(toMs(inode.mtimeNs)),
    ctime: new Date(toMs(inode.ctimeNs)),
    birthtime: new Date(toMs(inode.birthtimeNs)),
  }
}

/** A directory counts as one link, as on btrfs and overlayfs. */
function linksOf(inode: Inode): number {
  return inode.type === 'dir' ? 1 : Math.max(inode.names, 0)
}

/** Nanoseconds as Node's fractional milliseconds. */
function milliseconds(ns: bigint): number {
  return Number(ns / MS) + Number(ns % MS) / 1e6
}
