import { isUtf8 } from 'node:buffer'
import { statfsSync } from 'node:fs'
import { asRelPath, type RelPath, ROOT } from '../../overlay/index.js'
import { mountsBelow } from '../os/read.js'
import type { FindShell } from './find-shell.js'

/**
 * Local file systems of Linux, by their number in statfs(2). On each, every change of an entry sets its time of the last status change
 * from the kernel's clock, and so does a rename. The exception is a write through a mapping to a page that the mapping has read, on tmpfs:
 * copies are never there (`copyParent`), and a workspace there has the limit that docs/terminal.md describes.
 */
const FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x5846_5342, // XFS
  0x9123_683e, // Btrfs
  0x0102_1994, // tmpfs
  0x794c_7630, // overlayfs
  0xf2f5_2010, // F2FS
  0x2fc1_2fc1, // ZFS
  0xca45_1a4e, // bcachefs
])

/** The scope of a search in a tree. */
export interface TreeScan {
  /** Absolute and physical. */
  readonly tree: string
  /** Nanoseconds since 1970. */
  readonly since: bigint
  /** A file outside of the tree that has changed since. The scan must report it, which shows that it works. */
  readonly proof: string
  /** Directories that are left out with everything in them. */
  readonly without?: readonly RelPath[]
}

/**
 * Finds the entries whose status changed at or after a time, in one process: each costs the kernel one lookup. A
 * directory is among them if a name in it was added or removed, or if its mode changed.
 * @returns undefined if the answer could miss a change. Then the whole tree is to be read.
 */
export async function changedEntries(scan: TreeScan, shell: FindShell): Promise<readonly RelPath[] | undefined> {
  if (!isScannable(scan.tree)) return undefined
  const output = await shell.run(searchOf(scan))
  if (output === undefined || output.at(-1) !== 0 || !isUtf8(output)) return undefined
  const found: RelPath[] = []
  let isProven = false
  for (const path of output.toString('utf8', 0, output.length - 1).split('\0'))
    if (path === scan.proof) isProven = true
    else if (path === scan.tree) found.push(ROOT)
    else if (path.startsWith(`${scan.tree}/`)) found.push(asRelPath(path.slice(scan.tree.length + 1)))
    else return undefined
  return isProven ? found.sort() : undefined
}

/** A mount below may be of another file system, and its changes may not show. */
function isScannable(tree: string): boolean {
  if (process.platform !== 'linux') return false
  try {
    return FILE_SYSTEMS.has(statfsSync(tree).type) && mountsBelow(tree).length === 0
  } catch {
    return false
  }
}

function searchOf({ tree, since, proof, without = [] }: TreeScan): string[] {
  return [tree, proof, ...prune(tree, without), '-newerct', timeOf(since), '-print0']
}

/** `-newerct` excludes entries of exactly the given time. Subtracting one nanosecond includes them. */
function timeOf(since: bigint): string {
  const time = since - 1n
  return `@${time / 1_000_000_000n}.${String(time % 1_000_000_000n).padStart(9, '0')}`
}

function prune(tree: string, without: readonly RelPath[]): string[] {
  if (without.length === 0) return []
  const any = without.flatMap((path) => ['-o', '-path', escapeGlob(`${tree}/${path}`)]).slice(1)
  return ['-type', 'd', '(', ...any, ')', '-prune', '-o']
}

/** A pattern that matches this text alone. */
function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&')
}

/** The time in milliseconds by the wall clock, which can be set, and by the monotonic clock, which cannot. */
export interface Clocks {
  readonly wall: number
  readonly steady: number
}

export function readClocks(): Clocks {
  return { wall: Date.now(), steady: performance.now() }
}

/** Milliseconds by which two readings may differ, because the clocks are read one after the other. */
const CLOCK_NOISE_MS = 20

/** Whether the clock was set back: the times of later changes may be earlier than before. */
export function wasSetBack(before: Clocks, now: Clocks): boolean {
  return setBackBy(before, now) > 0
}

/**
 * Milliseconds by which a change between two readings may seem earlier than the first reading: 0 unless the clock was set
 * back between them.
 */
export function setBackBy(before: Clocks, now: Clocks): number {
  const lost = now.steady - before.steady - (now.wall - before.wall)
  return lost > CLOCK_NOISE_MS ? lost + CLOCK_NOISE_MS : 0
}
