import { type BigIntStats, statSync } from 'node:fs'

/**
 * Stamps: strings of stat(2) fields that change whenever a file's content does, as far as stat can show it. Git's index uses the same
 * fields. Two writes within one tick of the kernel's clock can leave the same times: a stamp taken within the race margin of a change
 * proves nothing, see {@link isSettled}.
 */

/** Times, size and inode. The stage log stores it: the order of the fields is part of that format. */
export function fileStamp({ mtimeNs, ctimeNs, size, ino }: BigIntStats): string {
  return `${mtimeNs}.${ctimeNs}.${size}.${ino}`
}

/** Returns the size in bytes that a {@link fileStamp} was made from. */
export function sizeInStamp(stamp: string): number {
  return Number(stamp.split('.')[2])
}

/** Returns the {@link fileStamp} of the file at a path, links followed; undefined if there is none. */
export function fileStampAt(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && fileStamp(stats)
}

/** Also changes with the mode, and when another file or device takes the name; '' for nothing. */
export function entryStamp(stats: BigIntStats | undefined): string {
  return stats === undefined ? '' : `${fileStamp(stats)}.${stats.mode}.${stats.dev}`
}

const RACE_MARGIN_MS = 50
/** FAT and some network filesystems keep whole or even seconds. */
const COARSE_RACE_MARGIN_MS = 3_000

/**
 * True when any write after `readAtMs` must show in a file's stamp: its last change is older than the race margin.
 *
 * @param changedMs the file's mtime or ctime, in milliseconds since 1970
 * @param readAtMs when its stat was taken, in milliseconds since 1970
 */
export function isSettled(changedMs: number, readAtMs = Date.now()): boolean {
  const isCoarse = changedMs % 1_000 === 0
  return readAtMs - changedMs > (isCoarse ? COARSE_RACE_MARGIN_MS : RACE_MARGIN_MS)
}
