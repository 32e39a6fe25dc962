import { codeOf } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { notedTxs, removeTransaction, seqOf } from './attempt.js'
import { type Disk, exists } from './disk.js'
import { decodePlan } from './plan.js'
import type { Conflict, Plan } from './types.js'

/**
 * The files of the journal, all in the state directory. `commits/<seq>`: published, to be applied. `<seq>.done`:
 * finished. `<seq>.conflicts`: its paths that were left alone. `floor`: the last number that an earlier version gave.
 * `attempts/<tx>.tx`: the place of an attempt's files in the workspace. `<tx>.plan`: a plan that is not published.
 */
export interface Journal {
  readonly unfinished: number[]
  readonly finished: number[]
  /** Commit numbers that a late attempt published again after the commit was finished. */
  readonly late: number[]
  readonly next: number
  /** The last commit number before the first commit here: 0 unless the workspace was migrated. */
  readonly floor: number
}

/** The default number of commits that can be undone, because their old contents are kept. */
export const UNDO_COMMITS = 100
/**
 * How many finished plans are kept for stages to reconcile with. An older stage takes its own committed changes for
 * another session's. They are then reported as drift, and are not lost.
 */
export const KEPT_PLANS = 1_000

export function readJournal(disk: Disk, layout: Layout): Journal {
  const published: number[] = []
  const done = new Set<number>()
  const names = disk.readdir(layout.commits)
  const floor = names.includes(FLOOR) ? floorOf(disk, layout) : 0
  for (const name of names) {
    const match = /^(\d{1,15})(\.done)?$/.exec(name)
    if (match?.[2] !== undefined) done.add(Number(match[1]))
    else if (match !== null) published.push(Number(match[1]))
  }
  const byNumber = (a: number, b: number) => a - b
  const finished = [...done].sort(byNumber)
  // A commit finishes all earlier ones first: a number below a finished one is used, even if its plan was pruned.
  const isUsed = (seq: number) => seq <= (finished.at(-1) ?? floor)
  return {
    unfinished: published.filter((seq) => !isUsed(seq)).sort(byNumber),
    late: published.filter(isUsed),
    finished,
    floor,
    next: published.reduce((highest, seq) => Math.max(highest, seq), finished.at(-1) ?? floor) + 1,
  }
}

/**
 * The commit point: gives the plan its number.
 * @returns false when another commit took the number; then nothing has happened
 */
export function publishPlan(disk: Disk, layout: Layout, planFile: string, seq: number): boolean {
  const name = commitFile(layout, seq)
  try {
    disk.link(planFile, name)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  // Another process took the number and finished its commit while we waited. The name was free again, but the number is
  // used.
  if (readJournal(disk, layout).late.includes(seq)) {
    disk.unlink(name)
    return false
  }
  return true
}

export function finishPlan(disk: Disk, layout: Layout, seq: number): void {
  const name = commitFile(layout, seq)
  try {
    disk.rename(name, `${name}.done`)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || !exists(disk, `${name}.done`)) throw error
  }
  disk.syncDir(layout.commits)
}

export function readPlan(disk: Disk, file: string): Plan {
  return decodePlan(disk.readFile(file).toString('utf8'), file.slice(file.lastIndexOf('/') + 1))
}

export function commitFile(layout: Layout, seq: number): string {
  return `${layout.commits}/${seq}`
}

const FLOOR = 'floor'

function floorOf(disk: Disk, { commits }: Layout): number {
  const number = Number(disk.readFile(`${commits}/${FLOOR}`).toString('utf8'))
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw new EscrowError('ledger_corrupt', `${commits}/${FLOOR} does not contain a number.`)
}

/** Replaces the conflicts that an earlier run of the same plan recorded. */
export function noteConflicts(disk: Disk, layout: Layout, plan: Plan, conflicts: readonly Conflict[]): void {
  const name = `${commitFile(layout, plan.seq)}.conflicts`
  const written = `${layout.attempts}/${plan.tx}.left`
  disk.unlink(name)
  disk.unlink(written)
  if (conflicts.length === 0) return
  disk.createFile(written, JSON.stringify(conflicts.map((conflict) => conflict.path)), 0o600, true)
  disk.rename(written, name)
}

export function conflictPaths(disk: Disk, layout: Layout, seq: number): Set<string> {
  const name = `${commitFile(layout, seq)}.conflicts`
  if (!exists(disk, name)) return new Set()
  const paths: unknown = JSON.parse(disk.readFile(name).toString('utf8'))
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string'))
    throw new EscrowError('ledger_corrupt', `commits/${seq}.conflicts does not contain a list of paths.`)
  return new Set(paths)
}

/** Removes the old contents, and much later the plans, of all but the latest finished commits. */
export function prune(disk: Disk, layout: Layout, { finished }: Journal, undoable: number): void {
  const oldest = finished.at(-undoable)
  if (oldest === undefined) return
  for (const tx of notedTxs(disk, layout)) if (seqOf(tx) < oldest) removeTransaction(disk, layout, tx)
  for (const seq of finished.slice(0, -Math.max(KEPT_PLANS, undoable))) {
    disk.unlink(`${commitFile(layout, seq)}.conflicts`)
    disk.unlink(`${commitFile(layout, seq)}.done`)
  }
}
