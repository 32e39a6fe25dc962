/** Decides whether something has become much slower. Measures nothing itself. */

/** Up to this multiple of the recorded ratio, a difference counts as noise. */
export const MARGIN = 2.5

/** The ratio to the baseline, by row title. */
export type Ratios = Readonly<Record<string, number>>

export interface Regression {
  readonly title: string
  readonly recorded: number
  /** The best of all runs. Undefined if no run measured it. */
  readonly best: number | undefined
}

/** The lowest ratio of each row in any run. */
export function bestOf(runs: readonly Ratios[]): Ratios {
  const best: Record<string, number> = {}
  for (const run of runs)
    for (const [title, ratio] of Object.entries(run)) best[title] = Math.min(ratio, best[title] ?? ratio)
  return best
}

/**
 * Finds rows that no run measured within the margin of the record. The best run counts, because load makes a run
 * slower but never faster, and a real regression is slow in all runs.
 * @param runs may omit rows that were fast enough in an earlier run
 */
export function findRegressions(recorded: Ratios, runs: readonly Ratios[], margin: number = MARGIN): Regression[] {
  const lowest = bestOf(runs)
  return Object.entries(recorded).flatMap(([title, was]) => {
    const best = lowest[title]
    return best !== undefined && best <= was * margin ? [] : [{ title, recorded: was, best }]
  })
}

/** Finds measured rows without a record, which the guard would not watch. */
export function findUnrecorded(recorded: Ratios, runs: readonly Ratios[]): string[] {
  return [...new Set(runs.flatMap((run) => Object.keys(run)))].filter((title) => !(title in recorded))
}
