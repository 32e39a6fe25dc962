// Long because: the comparison of a stage with the disk is one pass, and its steps share the collected data.
import type { BigIntStats } from 'node:fs'
import { ABSENT } from './base.js'
import { BlockedDirectories } from './blocked.js'
import { type FileState, type StagedChange, type StagedKind, sameContent, sameState } from './change.js'
import { EMPTY_DIGEST } from './digest.js'
import { LowerStatCache } from './lower-stat-cache.js'
import type { Overlay } from './overlay.js'
import { childOf, isWithin, parentOf, type RelPath, ROOT } from './path.js'
import { redirects } from './sources.js'
import type { Attribution } from './stage-edit.js'
import type { TreeNode } from './tree.js'

/** A directory on disk that the merged view has only under another name. */
export interface DirectoryMove {
  readonly from: RelPath
  readonly to: RelPath
  /** Its permission bits on disk. */
  readonly mode: number
}

/** The changes of a stage against the disk. */
export interface StageDiff {
  readonly changes: StagedChange[]
  /** Directories of the merged view that the disk lacks, with their permission bits; parents first. */
  readonly newDirs: readonly { readonly path: RelPath; readonly mode: number }[]
  /** Directories of the disk that the merged view lacks; children first. */
  readonly removedDirs: readonly RelPath[]
  /**
   * Renamed directories that can be committed by one rename, the outer ones first. Without those that contain a special
   * file, which no change shows for approval.
   */
  readonly moves: readonly DirectoryMove[]
  /** Returns the stat of a path on disk during the comparison. */
  look(path: RelPath): BigIntStats | undefined
  /** When its content was read after that stat (`Date.now()`); undefined if it was not read. */
  readAt(path: RelPath): number | undefined
}

/**
 * Compares the merged view with the bases. The work is proportional to the edits: other names are not read, and a
 * renamed or removed directory counts once for each file and link in it.
 */
export function diffStage(overlay: Overlay): StageDiff {
  const lowerStats = new LowerStatCache(overlay.lower)
  const touched = collect(overlay, lowerStats)
  const pairs = new Map<RelPath, Pair>()
  for (const path of touched.files) pairs.set(path, pairAt(overlay, path, lowerStats, touched))
  const blocked = new BlockedDirectories(
    lowerStats,
    (path) => pairs.get(path)?.after === null && !pairs.get(path)?.drifted,
  )
  for (const [path, pair] of pairs)
    if (pair.after !== null && blocked.has(parentOf(path))) pairs.set(path, { ...pair, drifted: true })
  const renames = matchRenames(overlay, pairs)
  const sources = new Set(renames.values())
  const linked = linkedNames(overlay, touched)
  const changes: StagedChange[] = []
  for (const [path, pair] of pairs) {
    if (sources.has(path)) continue
    const from = renames.get(path)
    const source = from === undefined ? undefined : pairs.get(from)
    const change = toChange(overlay, path, source ? joinPairs(pair, source) : pair, from)
    const links = linked.get(path)?.filter((name) => name !== path)
    if (change) changes.push(links ? { ...change, links } : change)
  }
  for (const change of directoryChanges(overlay, touched, lowerStats, blocked)) changes.push(change)
  return {
    changes,
    newDirs: newDirs(overlay, touched, lowerStats),
    removedDirs: [...touched.hiddenDirs].sort().reverse(),
    moves: movesIn(overlay, touched, lowerStats),
    look: (path) => lowerStats.look(path),
    readAt: (path) => lowerStats.readAt(path),
  }
}

interface Pair {
  readonly before: FileState | null
  readonly after: FileState | null
  readonly drifted: boolean
}

class Touched {
  readonly files = new Set<RelPath>()
  /** Staged directories: created, renamed or with changed attributes. */
  readonly dirs = new Set<RelPath>()
  /** Directories of the disk that the merged view no longer shows. */
  readonly hiddenDirs = new Set<RelPath>()
  /** Hidden FIFOs, sockets and devices. */
  readonly hiddenOthers = new Set<RelPath>()
  /** Names on disk that the stage covers. */
  readonly hidden = new Set<RelPath>()
  /** Names on disk that a renamed directory shows under its new name. */
  readonly shown = new Set<RelPath>()

  /**
   * Whether a covered name appeared on disk later: every name the stage knew has a base, or is shown under the new name
   * of its directory.
   */
  appearedLater({ stage }: Overlay, path: RelPath): boolean {
    return this.hidden.has(path) && !this.shown.has(path) && !stage.bases.has(path)
  }
}

function collect(overlay: Overlay, lowerStats: LowerStatCache): Touched {
  const touched = new Touched()
  const visit = (node: TreeNode, path: RelPath): void => {
    const covers = node.whiteout || node.lower !== undefined
    if (covers) addHidden(overlay, path, touched, lowerStats)
    if (node.whiteout) return
    if (typeof node.lower === 'string') {
      addMerged(overlay, path, touched)
      return
    }
    if (node.inode && node.inode.type !== 'dir') touched.files.add(path)
    else if (node.inode) touched.dirs.add(path)
    for (const [name, child] of node.children ?? []) visit(child, childOf(path, name))
  }
  visit(overlay.stage.tree.root, '' as RelPath)
  touched.dirs.delete('' as RelPath)
  for (const path of touched.hiddenDirs) if (touched.appearedLater(overlay, path)) touched.hiddenDirs.delete(path)
  return touched
}

/** The names of each file that was staged under several. */
function linkedNames(overlay: Overlay, { files }: Touched): Map<RelPath, RelPath[]> {
  const byInode = new Map<number, RelPath[]>()
  for (const path of files) {
    const inode = overlay.placeOf(path).node?.inode
    if (inode && inode.names > 1) byInode.set(inode.ino, [...(byInode.get(inode.ino) ?? []), path])
  }
  const several = [...byInode.values()].filter((names) => names.length > 1).map((names) => names.sort())
  return new Map(several.flatMap((names) => names.map((name) => [name, names] as const)))
}

/** Adds everything on disk below a name that the stage covers. */
function addHidden(overlay: Overlay, path: RelPath, touched: Touched, lowerStats: LowerStatCache): void {
  const type = lowerStats.typeOf(path)
  if (type !== undefined) touched.hidden.add(path)
  if (type === 'file' || type === 'symlink') touched.files.add(path)
  else if (type === 'other') touched.hiddenOthers.add(path)
  else if (type === undefined && overlay.stage.bases.has(path)) touched.files.add(path)
  if (type !== 'dir') return
  if (overlay.typeOf(path) !== 'dir') touched.hiddenDirs.add(path)
  for (const entry of overlay.lower.readdir(path)) addHidden(overlay, childOf(path, entry.name), touched, lowerStats)
}

/** Adds everything that the merged view shows below a renamed name. */
function addMerged(overlay: Overlay, path: RelPath, touched: Touched): void {
  const type = overlay.typeOf(path)
  const { node, lower } = overlay.placeOf(path)
  if (lower !== undefined && (type === 'dir' || !node?.inode)) touched.shown.add(lower)
  if (type === 'file' || type === 'symlink') touched.files.add(path)
  if (type !== 'dir') return
  touched.dirs.add(path)
  for (const entry of overlay.readdir(path)) addMerged(overlay, childOf(path, entry.name), touched)
}

function pairAt(overlay: Overlay, path: RelPath, lowerStats: LowerStatCache, touched: Touched): Pair {
  const base = touched.appearedLater(overlay, path) ? ABSENT : overlay.stage.bases.get(path)
  const now = lowerStats.state(path, base)
  const before = base ? base.state : now
  const drifted = base !== undefined && !sameContent(base.state, now)
  const after = fileOnly(mergedState(overlay, path, lowerStats))
  // The disk already has the staged state, no matter who wrote it: nothing is left to commit.
  if (drifted && sameState(fileOnly(now), after)) return { before: after, after, drifted: false }
  return { before: fileOnly(before), after, drifted }
}

function fileOnly(state: FileState | null): FileState | null {
  return state?.type === 'dir' ? null : state
}

/** Returns the state of a path in the merged view. */
export function mergedState(
  overlay: Overlay,
  path: RelPath,
  seen = new LowerStatCache(overlay.lower),
): FileState | null {
  const { node, lower } = overlay.placeOf(path)
  const inode = node?.inode
  if (inode) {
    if (inode.type === 'dir') return { type: 'dir', digest: EMPTY_DIGEST, mode: inode.mode }
    const mode = inode.type === 'symlink' ? 0o777 : inode.mode
    return { type: inode.type, digest: inode.digest(), mode }
  }
  if (node?.whiteout || lower === undefined) return null
  return seen.state(lower)
}

/** Created path → the path it was renamed from, if the content came from a path that no longer exists. */
function matchRenames(overlay: Overlay, pairs: ReadonlyMap<RelPath, Pair>): Map<RelPath, RelPath> {
  const renames = new Map<RelPath, RelPath>()
  const taken = new Set<RelPath>()
  for (const [path, pair] of pairs) {
    if (pair.before !== null || pair.after === null) continue
    const from = originOf(overlay, path)
    const source = from === undefined || from === path || taken.has(from) ? undefined : pairs.get(from)
    if (from === undefined || !source || source.after !== null || source.before === null) continue
    renames.set(path, from)
    taken.add(from)
  }
  return renames
}

function originOf(overlay: Overlay, path: RelPath): RelPath | undefined {
  const { node, lower } = overlay.placeOf(path)
  return node?.inode ? (node.inode.origin as RelPath | undefined) : lower
}

function joinPairs(pair: Pair, source: Pair): Pair {
  return { before: source.before, after: pair.after, drifted: pair.drifted || source.drifted }
}

function toChange(overlay: Overlay, path: RelPath, pair: Pair, from: RelPath | undefined): StagedChange | undefined {
  // An entry that appeared later below a removed name has no base: the removal does not include it.
  const isTheirs = pair.drifted && pair.before === null && pair.after === null
  if (from === undefined && sameState(pair.before, pair.after) && !isTheirs) return undefined
  return {
    path,
    ...(from !== undefined && { from }),
    kind: from !== undefined ? 'rename' : kindOf(pair.before, pair.after),
    ...pair,
    ...creditedTo(overlay, path),
    ...timesOf(overlay, path),
    content: () => contentOf(overlay, path, pair.after),
  }
}

function timesOf(overlay: Overlay, path: RelPath): Pick<StagedChange, 'times'> {
  const inode = overlay.placeOf(path).node?.inode
  if (inode?.type !== 'file' || !inode.timed) return {}
  return { times: { atimeNs: inode.atimeNs, mtimeNs: inode.mtimeNs } }
}

/**
 * Returns the author of the current entry, or of its last move, alone or with its directory; else the author of its removal.
 */
export function creditedTo(
  overlay: Overlay,
  path: RelPath,
): Pick<StagedChange, 'intentId' | 'calls' | 'writtenAt' | 'agent'> {
  const { tree, agents } = overlay.stage
  const covering = tree.coveringNode(path)
  const inode = overlay.placeOf(path).node?.inode ?? (covering?.credit ? undefined : covering?.inode)
  const moves = inode ? tree.creditedOn(path).filter(({ creditedAt }) => creditedAt > inode.creditedAt) : []
  const credits = inode ? [inode.credit, ...moves.map(({ credit }) => credit)] : [covering?.credit]
  const { intent, agent } = Object.assign({}, ...credits) as Attribution
  const name = agent === undefined ? undefined : agents[agent]
  const calls = [...(inode?.calls ?? []), ...credits.slice(inode ? 1 : 0).flatMap((credit) => credit?.call ?? [])]
  const writtenAt = Math.max(inode?.creditedAt ?? covering?.creditedAt ?? 0, ...moves.map((node) => node.creditedAt))
  return {
    ...(intent !== undefined && { intentId: intent }),
    calls: [...new Set(calls)],
    writtenAt,
    ...(name !== undefined && { agent: name }),
  }
}

export function kindOf(before: FileState | null, after: FileState | null): StagedKind {
  if (after === null) return 'delete'
  if (after.type === 'dir') return before?.type === 'dir' ? 'mode' : 'mkdir'
  if (after.type === 'symlink') return 'link'
  if (before === null) return 'create'
  return sameContent(before, after) ? 'mode' : 'modify'
}

export function contentOf(overlay: Overlay, path: RelPath, after: FileState | null): Uint8Array {
  if (after?.type === 'file') return overlay.read(path)
  return after?.type === 'symlink' ? Buffer.from(overlay.readlink(path)) : new Uint8Array()
}

/** Directories are changes of their own only without changed files in them: empty ones, and changed permission bits. */
function directoryChanges(
  overlay: Overlay,
  touched: Touched,
  lowerStats: LowerStatCache,
  blocked: BlockedDirectories,
): StagedChange[] {
  const changes: StagedChange[] = []
  for (const path of touched.dirs) {
    const before = lowerStats.state(path)
    const after = mergedState(overlay, path, lowerStats)
    if (before?.type === 'dir' ? before.mode === after?.mode : overlay.readdir(path).length > 0) continue
    const pair = { before: before?.type === 'dir' ? before : null, after, drifted: blocked.has(path) }
    const change = toChange(overlay, path, pair, undefined)
    if (change) changes.push(change)
  }
  for (const path of touched.hiddenDirs) {
    if (overlay.lower.readdir(path).length > 0) continue
    const before = lowerStats.state(path)
    const change = toChange(overlay, path, { before, after: null, drifted: false }, undefined)
    if (change) changes.push(change)
  }
  return changes
}

function newDirs(overlay: Overlay, touched: Touched, lowerStats: LowerStatCache): StageDiff['newDirs'] {
  return [...touched.dirs]
    .filter((path) => overlay.typeOf(path) === 'dir' && lowerStats.typeOf(path) !== 'dir')
    .sort()
    .map((path) => ({ path, mode: mergedState(overlay, path, lowerStats)?.mode ?? 0o777 }))
}

function movesIn(overlay: Overlay, touched: Touched, lowerStats: LowerStatCache): DirectoryMove[] {
  const found = redirects(overlay.stage.tree.root, ROOT).filter(({ at, lower }) => {
    if (lowerStats.typeOf(lower) !== 'dir' || lowerStats.look(at) !== undefined || overlay.typeOf(lower) !== undefined)
      return false
    return ![...touched.hiddenOthers].some((path) => isWithin(path, lower))
  })
  return found.map(({ at, lower }) => ({
    from: lower,
    to: at,
    mode: Number((lowerStats.look(lower)?.mode ?? 0n) & 0o7777n),
  }))
}
