import { digest } from '../../overlay/index.js'
import type { Disk } from './disk.js'
import { FLUSH_TOGETHER } from './stage.js'
import { type TxPaths, txPathsOf } from './tx-paths.js'
import type { PlannedChange } from './types.js'

/** Where a plan was applied. */
interface Place {
  readonly disk: Disk
  /** The transaction's directory. */
  readonly dir: string
  /** Where a path is now; undefined where its directory is gone. */
  addressOf(path: string): string | undefined
}

/**
 * A file that was only moved is in place under its new name and kept for undo under its old one: two names of one inode.
 * The kept one becomes a copy, so that the file has as many names as before and no later write to it reaches the copy.
 * Safe to cut off anywhere and run again.
 * @param changes those of the plan that are in place
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
    // Somebody writes to it at this moment: it stays as it is, as a file does that has other names.
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
