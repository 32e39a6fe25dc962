import { codeOf } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { type Disk, linkInPlace } from './disk.js'
import { txPathsOf } from './tx-paths.js'
import type { PlannedChange } from './types.js'

/**
 * Tries on the first new file, and on the first new symlink, whether it can get a second name. New entries are put in place by a hard
 * link, because a rename could replace a file of somebody else. Without this check a commit would fail after its commit point.
 * @throws EscrowError `unsupported` if the file system has no hard links
 */
export function assertLinkable(disk: Disk, dir: string, changes: readonly PlannedChange[]): void {
  for (const type of ['file', 'symlink']) {
    const change = changes.find(({ op, carried, ...each }) => PLACED.has(op) && !carried && each.new?.type === type)
    if (change === undefined) continue
    const { fresh, copy } = txPathsOf(dir, change)
    try {
      linkInPlace(disk, fresh, copy)
    } catch (error) {
      throw NO_LINKS.has(codeOf(error) ?? '') ? unlinkable(type, error) : error
    }
    disk.unlink(copy)
  }
}

const PLACED: ReadonlySet<string> = new Set(['create', 'overwrite'])

/** What file systems without hard links answer: exFAT and vfat, FUSE, vboxsf, SMB. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EINVAL', 'EMLINK'])

function unlinkable(type: string, cause: unknown): EscrowError {
  const what = type === 'file' ? 'hard links' : 'hard links to symlinks'
  return new EscrowError(
    'unsupported',
    `Nothing was committed: the file system of the workspace has no ${what}, so no commit on it can be atomic.`,
    { hint: 'Move the workspace to a file system with hard links, such as ext4, XFS, Btrfs, APFS or NTFS.', cause },
  )
}
