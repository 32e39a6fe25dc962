import { codeOf, EMPTY_DIGEST, type FileState } from '../../overlay/index.js'
import type { Refusal } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { approvedContent, attempt, type Checked } from './check.js'
import type { CommitRun } from './commit-run.js'
import type { Disk } from './disk.js'
import { diskStateAt, isState, isUntouched } from './disk-state.js'
import { inOrder, opens } from './order.js'
import { stale } from './refusals.js'
import { txPathsOf } from './tx-paths.js'
import type { CommitEntry, PlannedChange } from './types.js'

export interface Staged {
  readonly changes: PlannedChange[]
  readonly refused: Refusal[]
}

/** Above this many new files, one flush of the whole file system is faster than one for each file. */
export const FLUSH_TOGETHER = 16

/**
 * Writes every new file, link and directory into the transaction's directory `dir`, durably. Returns the changes in
 * order.
 */
export async function stageEntries(disk: Disk, dir: string, checked: Checked, run: CommitRun): Promise<Staged> {
  const implied = [...checked.implied].map((path) => impliedEntry(path))
  const ordered = inOrder([...checked.entries, ...implied])
  const together = ordered.filter((entry) => entry.new?.type === 'file' && !entry.carried).length > FLUSH_TOGETHER
  const staging: Staging = { disk, checked, sync: !together, written: 0, files: new Map() }
  const refused: Refusal[] = []
  const changes: PlannedChange[] = []
  run.begin('staging', ordered.length)
  for (const [n, entry] of ordered.entries()) {
    const before = staging.written
    const refusal = attempt(entry.path, () => {
      changes.push(stageChange(staging, txPathsOf(dir, { n }).fresh, entry, n))
      return undefined
    })
    if (refusal !== undefined) refused.push(refusal)
    await run.step(staging.written - before)
  }
  if (together && refused.length === 0 && !disk.flush(dir)) {
    for (const change of changes.filter(isFile)) disk.syncFile(txPathsOf(dir, change).fresh)
  }
  return { changes, refused }
}

interface Staging {
  readonly disk: Disk
  readonly checked: Checked
  /** Whether each file is synced by itself. */
  readonly sync: boolean
  /** Bytes of content so far. */
  written: number
  /** The staged path of each file with several names. */
  readonly files: Map<string, string>
}

function stageChange(staging: Staging, fresh: string, entry: CommitEntry, n: number): PlannedChange {
  const { path, op, old, from, carried } = entry
  const inode = staging.checked.inodes.get(path)
  const isImplied = staging.checked.implied.has(path) && op === 'mkdir'
  const next = isImplied ? stageImplied(staging, fresh, entry) : stageEntry(staging, fresh, entry)
  return {
    n,
    path,
    op,
    old,
    new: next,
    ...defined({ from }),
    ...(carried && { carried }),
    ...(op === 'move' && inode !== undefined && { inode }),
    ...(isImplied && { implied: true as const }),
  }
}

const isFile = (change: PlannedChange) =>
  change.new?.type === 'file' && !change.carried && (change.op === 'create' || change.op === 'overwrite')

function impliedEntry(path: string): CommitEntry {
  return { path, op: 'mkdir', old: null, new: { type: 'dir', digest: EMPTY_DIGEST, mode: 0o777 } }
}

/** An implied directory gets the mode of any mkdir here. The kernel applies the umask. */
function stageImplied({ disk, checked: { owning } }: Staging, fresh: string, entry: CommitEntry): FileState {
  disk.makeDir(fresh, 0o777)
  const createdMode = Number((disk.lstat(fresh)?.mode ?? 0o755n) & 0o7777n)
  const mode = (createdMode & 0o777) | (owning.inheritsGroup(entry.path) ? 0o2000 : 0)
  const owner = owning.of(entry, undefined)
  if (owner !== undefined) disk.setOwner(fresh, owner)
  if (mode !== createdMode) disk.setMode(fresh, mode)
  return { type: 'dir', digest: EMPTY_DIGEST, mode }
}

function stageEntry(staging: Staging, fresh: string, entry: CommitEntry): FileState | null {
  const { disk, checked, sync } = staging
  const next = entry.new
  const owner = checked.owners.get(entry.path)
  if (next === null || entry.carried || entry.op === 'chmod' || entry.op === 'move') return next
  if (next.type === 'dir') {
    const mode = workingMode(next.mode)
    disk.makeDir(fresh, mode)
    if (owner !== undefined) disk.setOwner(fresh, owner)
    // The umask clears bits. The set-group-id bit comes from our own directory, or is missing.
    if (Number(disk.lstat(fresh)?.mode ?? 0n) % 0o10000 !== mode) disk.setMode(fresh, mode)
    return next
  }
  if (linkName(staging, fresh, entry) || linkSource(staging, fresh, entry)) return next
  const bytes = approvedContent(entry)
  if (next.type === 'symlink') {
    disk.symlink(Buffer.from(bytes).toString('utf8'), fresh)
    if (owner !== undefined) disk.setOwner(fresh, owner)
    if (!disk.readlink(fresh).equals(bytes)) throw stale(entry.path)
    return next
  }
  disk.createFile(fresh, bytes, next.mode, sync, owner)
  if (entry.times !== undefined) disk.setTimes(fresh, seconds(entry.times.atimeNs), seconds(entry.times.mtimeNs))
  staging.written += bytes.length
  return next
}

/** Seconds, the unit of utimes. */
function seconds(nanoseconds: bigint): number {
  return Number(nanoseconds) / 1e9
}

/** A file that was only moved is linked, not copied, and so keeps its owner, times and extended attributes. */
function linkSource({ disk, checked }: Staging, fresh: string, entry: CommitEntry): boolean {
  const source = checked.source(entry)
  if (source === undefined) return false
  try {
    disk.link(source.address, fresh)
  } catch (error) {
    // Another user's file, too many names, or missing: a copy does as well, and the final check finds a missing file.
    if (LINK_REFUSED.has(codeOf(error) ?? '')) return false
    throw error
  }
  if (isUntouched(disk.lstat(fresh), source.readStats)) return true
  disk.unlink(fresh)
  return false
}

/** Links to another name of the file, on disk or staged before, if it already has the state the entry wants. */
function linkName({ disk, checked, files }: Staging, fresh: string, { file, linkTo, new: next }: CommitEntry): boolean {
  if (file === undefined || next === null) return false
  const key = `${file} ${next.digest} ${next.mode}`
  const staged = files.get(key)
  if (staged === undefined) files.set(key, fresh)
  const first = staged ?? (linkTo === undefined ? undefined : checked.addressOf(linkTo))
  if (first === undefined) return false
  try {
    disk.link(first, fresh)
  } catch (error) {
    if (LINK_REFUSED.has(codeOf(error) ?? '')) return false
    throw error
  }
  if (isState(diskStateAt(disk, fresh), next)) return true
  disk.unlink(fresh)
  return false
}

const LINK_REFUSED = new Set(['EPERM', 'EMLINK', 'ENOTSUP', 'ENOENT', 'EXDEV'])

/** A directory's mode until its children are in place: writable for its owner. */
export function workingMode(mode: number): number {
  return opens(mode) ? mode : mode | 0o700
}
