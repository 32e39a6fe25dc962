import type { BigIntStats } from 'node:fs'
import { codeOf } from '../../overlay/index.js'
import type { CommitRun } from './commit-run.js'
import { type Disk, exists } from './disk.js'
import { diskStateAt, isState } from './disk-state.js'
import { nameOf, type Pins, parentOf } from './pin.js'
import { overwriteStrictly, PLACE, type Placing, settleMode } from './place.js'
import { FailedChange } from './refusals.js'
import { separateKept } from './separate.js'
import { FLUSH_TOGETHER } from './stage.js'
import { txPathsOf } from './tx-paths.js'
import type { Conflict, Plan, PlannedChange } from './types.js'
import { isKeptApproved } from './verify.js'

/** The place and the tools for applying a plan. */
export interface Site {
  readonly disk: Disk
  readonly pins: Pins
  readonly root: string
  /** The transaction's directory. */
  readonly dir: string
  readonly run: CommitRun
  /** The plan's moves. A path inside a moved directory may already be at its new place. */
  readonly moves: readonly PlannedChange[]
  /** In the run that published the plan: the stat of each old file as checked. Absent when a plan is applied again. */
  readonly statsByPath?: ReadonlyMap<string, BigIntStats>
  /** Throws once another process has finished the plan: what is there now came later, even if it looks as before. */
  assertUnfinished(): void
  /** Whether an errno is permanent: the path becomes a conflict, and the run continues. */
  isPermanent(code: string): boolean
}

/**
 * Applies every change of a published plan, durably. Can be interrupted anywhere and run again.
 * @returns the paths where someone else's version was found and left
 */
export async function applyPlan(site: Site, plan: Plan): Promise<Conflict[]> {
  const conflicts = new Map<string, string>()
  const each = async (changes: readonly PlannedChange[], work: (change: PlannedChange) => string | undefined) => {
    for (const change of changes) {
      const reason = tryChange(site, work, change)
      if (reason !== undefined && !conflicts.has(change.path)) conflicts.set(change.path, reason)
      await site.run.step()
    }
  }
  const changes = plan.changes.filter(({ carried }) => !carried)
  const { moves } = site
  // A directory that could not be moved may have another one in its place: nothing of ours goes into it.
  const isStuck = (path: string) => moves.some((move) => conflicts.has(move.path) && isIn(path, move.path))
  site.run.begin('applying', changes.length)
  await each(changes, (change) => (isStuck(change.path) ? 'stale_file' : placeOne(site, plan, change)))
  // A power cut can keep a move and lose its new parent directory: the moved files were out of reach until now.
  const removals = site.statsByPath
    ? []
    : changes.filter((each) => each.new === null && moves.some((move) => isIn(each.path, move.from ?? '')))
  await each(removals, (change) => placeOne(site, plan, change))
  for (const { path, from = path, carried } of plan.changes) {
    const isLeft = carried && moves.some((move) => conflicts.has(move.path) && isIn(from, move.from ?? ''))
    if (isLeft || (carried && isStuck(path))) conflicts.set(path, 'stale_file')
  }
  await each(changes.filter(({ op }) => op === 'mkdir').reverse(), (change) => settleOne(site, change))
  await each(changes.filter(takesOut), (change) => verifyOne(site, change))
  // A moved file is the same file under both names: someone else's version under the old name is also under the new
  // one.
  await each(
    changes.filter(({ from }) => from !== undefined && conflicts.has(from)),
    (change) => verifyMoved(site, change),
  )
  const moved = new Set(site.pins.movedDirectories())
  if (moved.size > 0) {
    await each(changes, (change) =>
      change.new !== null && moved.has(parentOf(change.path)) ? 'path_escape' : undefined,
    )
  }
  syncParents(site, changes)
  const inPlace = changes.filter(({ path }) => !conflicts.has(path))
  separateKept({ ...site, addressOf: (path) => addressOf(site, path) }, inPlace)
  // Only now: if the staged name were removed before the new name is durable, a power cut could lose both.
  dropStaged(site, inPlace)
  site.disk.syncDir(site.dir)
  return [...conflicts].map(([path, reason]) => ({ path, reason }))
}

/**
 * The changes that were not applied, for a plan that cannot continue: its new contents are missing, or somebody else's
 * directory has their name.
 */
export function notInPlace(disk: Disk, pins: Pins, { changes }: Plan): Conflict[] {
  const site = { disk, pins, moves: changes.filter(({ op }) => op === 'move') }
  const removed = new Set(changes.filter((each) => each.new !== null).map(({ path }) => path))
  const isInPlace = ({ path, new: next }: PlannedChange) => {
    if (next === null && removed.has(path)) return true
    const address = addressOf(site, path)
    return isState(address === undefined ? null : diskStateAt(disk, address), next)
  }
  return changes.filter((change) => !isInPlace(change)).map(({ path }) => ({ path, reason: 'stale_file' }))
}

const isIn = (path: string, dir: string) => path === dir || path.startsWith(`${dir}/`)

const takesOut = ({ op }: PlannedChange) => op === 'overwrite' || op === 'delete'

/** The path's address by its pinned parent; undefined if that directory no longer exists. */
function addressOf(site: Pick<Site, 'pins' | 'moves'>, path: string): string | undefined {
  const move = site.moves.find(({ from }) => path !== from && isIn(path, from ?? ''))
  return directAddress(site, path) ?? (move && directAddress(site, `${move.path}${path.slice(move.from?.length)}`))
}

function directAddress(site: Pick<Site, 'pins'>, path: string): string | undefined {
  try {
    return `${site.pins.at(parentOf(path))}/${nameOf(path)}`
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined
    throw error
  }
}

function placingOf(site: Site, change: PlannedChange, target: string): Placing {
  const { disk, statsByPath } = site
  const readStats = statsByPath?.get(change.path)
  const origin = change.op === 'move' && change.from !== undefined ? addressOf(site, change.from) : undefined
  return {
    disk,
    change,
    slot: txPathsOf(site.dir, change),
    target,
    origin,
    isFirstRun: statsByPath !== undefined,
    readStats,
    assertUnfinished: site.assertUnfinished,
  }
}

function placeOne(site: Site, plan: Plan, change: PlannedChange): string | undefined {
  const target = addressOf(site, change.path)
  if (target === undefined) {
    const isDone =
      change.new === null || (change.op !== 'chmod' && !exists(site.disk, txPathsOf(site.dir, change).fresh))
    return isDone ? undefined : 'path_escape'
  }
  const place = plan.strict && change.op === 'overwrite' ? overwriteStrictly : PLACE[change.op]
  return place(placingOf(site, change, target)) ? undefined : 'stale_file'
}

function settleOne(site: Site, change: PlannedChange): undefined {
  const target = addressOf(site, change.path)
  if (target !== undefined) settleMode(site.disk, target, change)
}

function verifyOne(site: Site, change: PlannedChange): string | undefined {
  const target = addressOf(site, change.path)
  if (target === undefined) return undefined
  return isKeptApproved(placingOf(site, change, target)) ? undefined : 'stale_file'
}

function verifyMoved(site: Site, change: PlannedChange): string | undefined {
  const target = addressOf(site, change.path)
  return target !== undefined && isState(diskStateAt(site.disk, target), change.new) ? undefined : 'stale_file'
}

function tryChange(
  site: Site,
  work: (change: PlannedChange) => string | undefined,
  change: PlannedChange,
): string | undefined {
  try {
    site.assertUnfinished()
    return work(change)
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    if (!site.isPermanent(code)) throw new FailedChange(change.path, code, error)
    return 'access_denied'
  }
}

function syncParents(site: Site, changes: readonly PlannedChange[]): void {
  const names = changes.flatMap(({ path, op, from }) => (op === 'move' && from !== undefined ? [path, from] : [path]))
  const parents = new Set(names.map(parentOf))
  if (parents.size > FLUSH_TOGETHER && site.disk.flush(site.root)) return
  for (const parent of parents) {
    const inside = addressOf(site, parent === '' ? '.' : `${parent}/.`)
    if (inside !== undefined) syncIfThere(site.disk, inside)
  }
}

/** A directory that the plan removed needs no sync. FUSE does not open it again, though it is still held. */
function syncIfThere(disk: Disk, dir: string): void {
  try {
    disk.syncDir(dir)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** Removes staged files that no rename consumed: linked ones, and those whose content was already in place. */
function dropStaged(site: Site, changes: readonly PlannedChange[]): void {
  const left = new Set(site.disk.readdir(site.dir))
  for (const change of changes) {
    const { fresh } = txPathsOf(site.dir, change)
    if (!left.has(nameOf(fresh))) continue
    if (change.op === 'mkdir') site.disk.rmdir(fresh)
    else site.disk.unlink(fresh)
  }
}
