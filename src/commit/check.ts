import type { BigIntStats } from 'node:fs'
import { codeOf, digest, entryStamp, type FileState, sameState } from '../../overlay/index.js'
import { EscrowError, type Refusal } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import type { Owner } from '../os/write.js'
import type { CommitRun } from './commit-run.js'
import type { Disk } from './disk.js'
import { diskStateAt, hasSettledMtime, isState } from './disk-state.js'
import { isAtOrBelow } from './order.js'
import { type Ownership, ownership } from './ownership.js'
import { nameOf, type Pins, parentOf } from './pin.js'
import { notADirectory, refusalFor, stale } from './refusals.js'
import { assertShape } from './shape.js'
import { type TargetDirs, targetDirsOf } from './target-dirs.js'
import { txParent } from './tx-dir.js'
import type { CommitEntry, CommitInput } from './types.js'

/** The result of a commit's checks, which change nothing. */
export interface Checked {
  readonly refused: Refusal[]
  /** The entries to apply. A chmod of a file with several names has become an overwrite. */
  readonly entries: CommitEntry[]
  readonly implied: ReadonlySet<string>
  /** The stat of each file in its expected state. Only files whose stat any later write would change. */
  readonly statsByPath: ReadonlyMap<string, BigIntStats>
  /**
   * The owners of new files, by path. Only those that differ from the owner our own directory gives. See
   * {@link Ownership}.
   */
  readonly owners: ReadonlyMap<string, Owner>
  readonly owning: Ownership
  /** The inode numbers of moved directories, by new path. */
  readonly inodes: ReadonlyMap<string, string>
  /** For a create whose content is a file that the same commit removes: the file's path and stat. */
  source(entry: CommitEntry): Source | undefined
  /** A path's address by its pinned parent; undefined if there is no such directory. Valid until the next call. */
  addressOf(path: string): string | undefined
  /** Finds the paths that have changed since the check, with one stat for each. */
  recheck(): Refusal[]
}

interface Source {
  readonly address: string
  readonly readStats: BigIntStats
}

/** The state that the checks of one commit share. */
interface Site {
  readonly disk: Disk
  readonly pins: Pins
  readonly targetDirs: TargetDirs
  /** Paths with two entries: a removal, and the entry that replaces it. */
  readonly pairs: ReadonlySet<string>
  readonly removed: ReadonlySet<string>
  /** The effective uid; undefined if the system has none. */
  readonly user: number | undefined
}

/** Checks every entry: shape, policy, parents, file system, permission, base. Reports every bad path. */
export async function checkEntries(
  disk: Disk,
  pins: Pins,
  input: CommitInput,
  device: string,
  run: CommitRun,
): Promise<Checked> {
  const removed = new Set(input.entries.filter((entry) => entry.new === null).map((entry) => entry.path))
  const pairs = new Set(input.entries.filter((entry) => entry.new !== null && removed.has(entry.path)).map(pathOf))
  const targetDirs = targetDirsOf(disk, pins, input.entries, device)
  const site: Site = { disk, pins, targetDirs, pairs, removed, user: process.geteuid?.() }
  const owning = ownership(site, input.entries, txParent(pins))
  const bases = new Map<CommitEntry, string>()
  const seen = new Set<string>()
  const refused: Refusal[] = []
  const entries: CommitEntry[] = []
  const statsByPath = new Map<string, BigIntStats>()
  const owners = new Map<string, Owner>()
  const inodes = new Map<string, string>()
  const gone = new Map(input.entries.filter((entry) => entry.op === 'delete').map((entry) => [entry.path, entry.old]))
  run.begin('checking', input.entries.length)
  for (const entry of input.entries) {
    const refusal = attempt(entry.path, () => {
      assertShape(entry, seen)
      const denied = askPolicy(input, entry)
      if (denied !== undefined) return denied
      const stats = assertBase(site, entry)
      bases.set(entry, entryStamp(stats))
      if (entry.old?.type === 'file' && stats !== undefined && hasSettledMtime(stats))
        statsByPath.set(entry.path, stats)
      if (entry.op === 'move' && stats !== undefined) inodes.set(entry.path, String(stats.ino))
      const owner = owning.of(entry, stats)
      if (owner !== undefined) owners.set(entry.path, owner)
      entries.push(asFound(site, entry, stats))
      return undefined
    })
    if (refusal !== undefined) refused.push(refusal)
    await run.step()
  }
  const source = ({ from, new: next, carried }: CommitEntry): Source | undefined => {
    const readStats = from === undefined || carried ? undefined : statsByPath.get(from)
    if (from === undefined || readStats === undefined || !sameState(gone.get(from) ?? null, next)) return undefined
    return { address: addressOf(site, { path: from }), readStats }
  }
  return {
    refused,
    entries,
    statsByPath,
    owners,
    owning,
    inodes,
    source,
    addressOf: (path) => addressIfThere(site, path),
    implied: site.targetDirs.implied,
    recheck: () => recheck(site, bases),
  }
}

const pathOf = (entry: CommitEntry) => entry.path

/** The staged bytes. Throws if they are not the approved ones. */
export function approvedContent(entry: CommitEntry): Uint8Array {
  const bytes = entry.content?.() ?? new Uint8Array()
  if (digest(bytes) === entry.new?.digest) return bytes
  throw new EscrowError(
    'stale_file',
    `The staged content of ${entry.path} is not the content that was approved. Review it again.`,
  )
}

/** Runs the check of one path. Returns its refusal, also one that it throws. */
export function attempt(path: string, check: () => Refusal | undefined): Refusal | undefined {
  try {
    return check()
  } catch (error) {
    return refusalFor(path, error)
  }
}

function askPolicy(input: CommitInput, entry: CommitEntry): Refusal | undefined {
  try {
    return input.gate(entry)
  } catch (error) {
    // A rule that throws denies: an unknown answer must never let a write through.
    const why = errorText(error)
    return {
      path: entry.path,
      reason: 'policy_invalid',
      message: `The rules could not be checked for ${entry.path}: ${why}`,
    }
  }
}

/** @param by the source of the `readStats` to trust; the final check trusts none */
function assertBase(
  site: Site,
  entry: CommitEntry,
  by: Pick<CommitEntry, 'readStats'> = entry,
): BigIntStats | undefined {
  const { readStats } = by
  const parent = parentOf(existsAt(entry))
  const isNew = entry.op === 'create' || entry.op === 'mkdir'
  if (entry.new !== null) site.targetDirs.assertOpen(parentOf(entry.path))
  if (entry.op === 'move') assertFree(site, entry.path)
  if ((isNew ? site.targetDirs.need(parent) : site.targetDirs.at(parent)) !== 'real') {
    // The parent was removed, and an absent directory needs no removal. Any other base is missing.
    if (isNew || entry.op === 'rmdir') return undefined
    throw stale(entry.path)
  }
  // The file was in its expected state moments ago. The final check, by the pinned parent, shows whether it is still
  // the same.
  if (readStats !== undefined && modeOf(readStats) === expectedState(entry, readStats)?.mode)
    return requireOwner(site, entry, readStats)
  const path = addressOf(site, entry)
  const stats = site.disk.lstat(path)
  if (isNew && site.pairs.has(entry.path)) return stats
  if (entry.op === 'rmdir') {
    if (stats !== undefined && !stats.isDirectory()) throw stale(entry.path)
    if (stats !== undefined && (entry.carried || isAtOrBelow(entry.path, site.pairs)))
      assertEmptied(site, path, entry.path)
    return stats
  }
  if (entry.op === 'mkdir' && stats?.isDirectory() && Number(stats.mode & 0o7777n) === entry.new?.mode) return stats
  if (!isState(diskStateAt(site.disk, path, stats), expectedState(entry, stats))) throw stale(entry.path)
  return requireOwner(site, entry, stats)
}

const modeOf = (stats: BigIntStats) => Number(stats.mode & 0o7777n)

/** Whether the agent left a file's mode alone. Then the mode on disk stays, even if someone changed it meanwhile. */
function followsMode({ op, old, new: next }: CommitEntry): boolean {
  return (op === 'overwrite' || op === 'delete') && old?.type === 'file' && (next === null || next.mode === old.mode)
}

function expectedState(entry: CommitEntry, stats: BigIntStats | undefined): FileState | null {
  const { old } = entry
  return old !== null && stats !== undefined && followsMode(entry) ? { ...old, mode: modeOf(stats) } : old
}

function addressOf(site: Site, entry: Pick<CommitEntry, 'path' | 'at'>): string {
  const path = existsAt(entry)
  return `${site.pins.at(parentOf(path))}/${nameOf(path)}`
}

/** The path of an entry's base, which may be in a directory that the commit moves. */
function existsAt({ path, at = path }: Pick<CommitEntry, 'path' | 'at'>): string {
  return at
}

/** Throws if the target of a directory's move is taken. */
function assertFree({ disk, pins, targetDirs }: Site, path: string): void {
  if (targetDirs.need(parentOf(path)) !== 'real') return
  if (disk.lstat(`${pins.at(parentOf(path))}/${nameOf(path)}`) !== undefined) throw stale(path)
}

function addressIfThere(site: Site, path: string): string | undefined {
  try {
    return addressOf(site, { path })
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}

/** Throws if a directory that is moved, or replaced by a file, has entries that the commit does not remove. */
function assertEmptied(site: Site, path: string, dir: string): void {
  if (site.disk.readdir(path).some((name) => !site.removed.has(`${dir}/${name}`))) throw stale(dir)
}

/** Throws unless the user may change the mode of the file: its owner, or root. */
function requireOwner(
  { user }: Site,
  { op, path }: CommitEntry,
  stats: BigIntStats | undefined,
): BigIntStats | undefined {
  if (op !== 'chmod' || user === undefined || user === 0 || stats === undefined || BigInt(user) === stats.uid)
    return stats
  throw new EscrowError('access_denied', `The mode of ${path} can only be changed by its owner (uid ${stats.uid}).`)
}

/** The entry for the plan. A removed directory gets its current mode, for an undo. */
function asFound(site: Site, entry: CommitEntry, stats: BigIntStats | undefined): CommitEntry {
  const { old, new: next } = entry
  if (followsMode(entry) && old !== null && stats !== undefined) {
    const mode = modeOf(stats)
    return { ...entry, old: { ...old, mode }, new: next && { ...next, mode: mode & 0o777 } }
  }
  if (entry.op !== 'rmdir' || entry.old === null || stats === undefined) return asReplacement(site, entry, stats)
  return { ...entry, old: { ...entry.old, mode: Number(stats.mode & 0o7777n) } }
}

/** chmod affects all names of a file, and one may be outside the workspace: such a file is replaced by a copy. */
function asReplacement(site: Site, entry: CommitEntry, stats: BigIntStats | undefined): CommitEntry {
  if (entry.op !== 'chmod' || stats === undefined || !stats.isFile() || stats.nlink === 1n) return entry
  return { ...entry, op: 'overwrite', content: () => site.disk.readFile(addressOf(site, entry)) }
}

function recheck(site: Site, bases: ReadonlyMap<CommitEntry, string>): Refusal[] {
  const moved = new Set(site.pins.movedDirectories())
  const refused: Refusal[] = []
  for (const [entry, base] of bases) {
    const parent = parentOf(existsAt(entry))
    const refusal = attempt(entry.path, () => {
      if (moved.has(parent)) throw notADirectory(parent === '' ? 'The root' : parent)
      if (site.targetDirs.at(parent) !== 'real') return undefined
      if (entry.op === 'move') assertFree(site, entry.path)
      if (entryStamp(site.disk.lstat(addressOf(site, entry))) !== base) assertBase(site, entry, {})
      return undefined
    })
    if (refusal !== undefined) refused.push(refusal)
  }
  return refused
}
