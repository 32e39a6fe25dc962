import { isWithin } from '../../overlay/index.js'
import type { ReplayRules } from '../judge/index.js'
import type { HistoryFile } from './find-files.js'
import { emptyCounts, readHistories } from './read-history.js'
import type { RecordedCall } from './recorded.js'
import { Replay, type ReplayedCall } from './replay.js'
import { type BacktestReport, Tally } from './tally.js'

export interface Backtest {
  readonly files: readonly HistoryFile[]
  readonly rules: ReplayRules
  /** Only sessions that began in this directory or below. */
  readonly below?: string | undefined
  /** Called with the bytes read so far. */
  readonly progress?: (bytes: number) => void
  /** Which calls are replayed; all by default. */
  readonly only?: (call: RecordedCall) => boolean
  /** Called with each replayed call, in order. */
  readonly seen?: (call: ReplayedCall) => void
}

/**
 * Replays all calls of the histories. Resolves to the report.
 * @throws EscrowError `policy_invalid` for rules that cannot be read
 */
export async function runBacktest({ files, rules, below, progress, only, seen }: Backtest): Promise<BacktestReport> {
  const replay = new Replay(rules)
  const tally = new Tally()
  const counts = emptyCounts()
  const options = { files, counts, ...(progress && { progress }) }
  for (const recorded of readHistories(options)) {
    if (below !== undefined && !isWithin(replay.directoryOf(recorded), below)) continue
    if (only?.(recorded) === false) continue
    const decided = await replay.decide(recorded)
    tally.add(decided)
    seen?.(decided)
  }
  return tally.report(counts, replay.network)
}
