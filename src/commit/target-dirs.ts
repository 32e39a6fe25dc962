import { codeOf } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import type { Disk } from './disk.js'
import { type Pins, parentOf } from './pin.js'
import { notADirectory } from './refusals.js'
import type { CommitEntry } from './types.js'

/** The directories that a commit needs: those that exist, and those it must make first. */
export interface TargetDirs {
  /**
   * `real`: on disk, writable, on the journal's file system, pinned. `made`: the plan makes it.
   * `absent`: neither. Throws path_escape, cross_device, and the disk's own errors.
   */
  at(dir: string): 'real' | 'made' | 'absent'
  /** As `at`, for the parent of a new entry: an absent directory is added to the plan as an implied one. */
  need(dir: string): 'real' | 'made'
  /** Throws path_escape when the commit puts a file or symlink where a new entry needs a directory. */
  assertOpen(dir: string): void
  readonly implied: ReadonlySet<string>
}

export function targetDirsOf(disk: Disk, pins: Pins, entries: readonly CommitEntry[], device: string): TargetDirs {
  const implied = new Set<string>()
  const created = new Map(entries.filter((entry) => entry.new !== null).map((entry) => [entry.path, entry.new?.type]))
  const removed = new Set(entries.filter((entry) => entry.new === null).map((entry) => entry.path))
  const usable = new Set<string>()

  const assertUsable = (dir: string) => {
    if (usable.has(dir)) return
    if (pins.device(dir) !== device) throw otherDevice(dir)
    disk.assertWritable(`${pins.at(dir)}/.`)
    usable.add(dir)
  }
  const at = (dir: string): 'real' | 'made' | 'absent' => {
    const type = created.get(dir)
    if (implied.has(dir)) return 'made'
    if (dir !== '' && at(parentOf(dir)) !== 'real') return type === 'dir' ? 'made' : 'absent'
    if (!isDirectory(pins, dir, removed.has(dir))) return type === 'dir' ? 'made' : 'absent'
    assertUsable(dir)
    return 'real'
  }
  const assertOpen = (dir: string): void => {
    const type = created.get(dir)
    if (type === 'file' || type === 'symlink') throw notADirectory(dir)
    if (dir !== '') assertOpen(parentOf(dir))
  }
  const need = (dir: string): 'real' | 'made' => {
    const found = at(dir)
    if (found !== 'absent') return found
    need(parentOf(dir))
    implied.add(dir)
    return 'made'
  }
  return { at, need, assertOpen, implied }
}

/** Whether the path is a directory. Anything else there is an escape, unless the commit removes it. */
function isDirectory(pins: Pins, dir: string, isRemoved: boolean): boolean {
  try {
    pins.at(dir)
    return true
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return false
    if (code !== 'ENOTDIR' && code !== 'ELOOP') throw error
    if (isRemoved) return false
    throw notADirectory(dir)
  }
}

function otherDevice(dir: string): EscrowError {
  return new EscrowError(
    'cross_device',
    `${dir === '' ? 'The root' : dir} is on another file system than .orchestration, so it cannot be committed to atomically.`,
  )
}
