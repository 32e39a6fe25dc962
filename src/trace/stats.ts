import type { LedgerStats, LineCounts, TraceRecord } from '../core/api.js'
import type { SharedFile } from '../core/layout.js'
import { timeOf } from './fields.js'
import type { Origin } from './origins.js'
import { ownRecordOf } from './own-record.js'
import { wholeLines } from './read.js'
import { ReleaseCount } from './release-count.js'
import { Replay } from './replay.js'

const DAY_MS = 24 * 60 * 60 * 1000
const EVERY = { has: () => true }

/**
 * The totals of a ledger: the authors of the current lines, how many of the judged paths were approved, and how much of
 * the agents' text was changed or removed within some days.
 */
export function ledgerStats(
  file: SharedFile,
  current: ReadonlyMap<string, readonly Origin[]>,
  days: number,
): LedgerStats {
  const replay = new Replay(EVERY)
  const times = new Map<string, number>()
  const verdicts = { approved: 0, rejected: 0 }
  const last = new Map<string, Counted>()
  const releases = new ReleaseCount()
  const rework = { written: 0, changed: 0 }
  for (const { value } of wholeLines(file)) {
    countVerdict(verdicts, last, value)
    releases.apply(value)
    const { added, lost } = replay.apply(value)
    const at = timeOf(value)
    if (added.length + lost.length === 0 || at === undefined) continue
    if (typeof value.id === 'string') times.set(value.id, at)
    rework.written += added.filter(({ origin }) => origin.contributor === 'ai').length
    rework.changed += lost.filter(({ origin }) => isWithin(origin, at)).length
  }
  return {
    lines: countLines(current),
    approval: { ...verdicts, rate: rateOf(verdicts.approved, verdicts.approved + verdicts.rejected) },
    rework: { days, ...rework, rate: rateOf(rework.changed, rework.written) },
    released: releases.totals(),
  }

  function isWithin({ contributor, recordId = '' }: Origin, at: number): boolean {
    const written = times.get(recordId)
    return contributor === 'ai' && written !== undefined && at - written <= days * DAY_MS
  }
}

/** The verdict on a path that was counted last. */
interface Counted {
  readonly verdict: 'approved' | 'rejected'
  readonly isOfHunks: boolean
}

/** Counts the verdicts of people. A withdrawn one is not counted. A verdict on a whole file stays counted when hunks of it are withdrawn. */
function countVerdict(
  counts: { approved: number; rejected: number },
  last: Map<string, Counted>,
  record: TraceRecord,
): void {
  const own = ownRecordOf(record, 'verdict')
  if (own === undefined) return
  const { verdict, paths = [], hunks, rule } = own
  const isOfHunks = hunks !== undefined
  for (const path of paths) {
    const key = JSON.stringify([record.session_id, path])
    if (rule !== undefined) last.delete(key)
    else if (verdict === 'approved' || verdict === 'rejected') {
      counts[verdict]++
      last.set(key, { verdict, isOfHunks })
    } else if (verdict === 'withdrawn') {
      const counted = last.get(key)
      if (counted === undefined || (isOfHunks && !counted.isOfHunks)) continue
      counts[counted.verdict]--
      last.delete(key)
    }
  }
}

function countLines(current: ReadonlyMap<string, readonly Origin[]>): LineCounts {
  const byIntent = new Map<string, number>()
  const byModel = new Map<string, number>()
  const byClass = new Map<string, number>()
  const counts = { total: 0, ai: 0, human: 0, unknown: 0 }
  for (const origin of [...current.values()].flat()) {
    counts.total++
    counts[origin.contributor]++
    add(byIntent, origin.intentId)
    if (origin.contributor !== 'ai') continue
    add(byModel, origin.model ?? 'unnamed')
    add(byClass, origin.mutationClass ?? 'UNVERIFIED')
  }
  return { ...counts, byIntent: sortCounts(byIntent), byModel: sortCounts(byModel), byClass: sortCounts(byClass) }
}

function add(counts: Map<string, number>, key: string | undefined): void {
  if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** Sorts counts, largest first. */
function sortCounts(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)))
}

function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}
