import { digest } from '../../overlay/index.js'
import type { Disk } from './disk.js'
import { FLUSH_TOGETHER } from './stage.js'
import { type TxPaths, txPathsOf } from './tx-paths.js'
import type { PlannedChange } from './types.js'

/** The place where a plan was applied. */
interface Place {
  readonly disk: Disk
  /** The transaction's directory. */
  readonly dir: string
  /** A path's address; undefined if its directory is gone. */
  addressOf(path: string): string | undefined
}

/**
 * A file that was only moved is one inode with two names: the new path, and the kept file for undo. The kept one
 * becomes a copy, so that the file has as many names as before, and later writes to it do not reach the copy. Can be
 * interrupted anywhere and run again.
 * @param changes the changes that are in place
 */
export function separateKept({ disk, dir, addressOf }: Place, changes: readonly PlannedChange[]): void {
  const removed = new Map(changes.filter(({ op }) => op === 'delete').map((change) => [change.path, change]))
  const shared = changes.flatMap(({ path, from, carried, new: next }) => {
    const source = carried || next?.type !== 'file' || from === undefined ? undefined : removed.get(from)
    const target = source && addressOf(path)
    return source && target !== undefined ? [{ source, target }] : []
  })
  const together = shared.length > FLUSH_TOGETHER
  const copied: TxPaths[] = []
  for (const { source, target } of shared) {
    const slot = txPathsOf(dir, source)
    disk.unlink(slot.copy)
    if (!isSameFile(disk, slot.kept, target)) continue
    const bytes = disk.readFile(slot.kept)
    // Somebody is writing to it at this moment: it stays linked, like a file with other names.
    if (digest(bytes) !== source.old?.digest) continue
    disk.createFile(slot.copy, bytes, source.old.mode, !together)
    copied.push(slot)
  }
  if (together && !disk.flush(dir)) for (const { copy } of copied) disk.syncFile(copy)
  for (const { copy, kept } of copied) disk.rename(copy, kept)
}

function isSameFile(disk: Disk, a: string, b: string): boolean {
  const [one, other] = [disk.lstat(a), disk.lstat(b)]
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino
}
