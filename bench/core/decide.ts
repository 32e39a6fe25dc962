/** Whether something has become much slower: nothing here measures. */

/** How many times the recorded ratio is still taken for the machine's noise. */
export const MARGIN = 2.5

/** Row → its ratio to the baseline. */
export type Ratios = Readonly<Record<string, number>>

export interface StepBack {
  readonly title: string
  readonly recorded: number
  /** The best of all runs; undefined where no run measured it. */
  readonly best: number | undefined
}

/**
 * Rows that were never, in any of the runs, within the margin of what is recorded. The best counts: load makes a run
 * slower and never quicker, and what has become slow is slow in all of them.
 * @param runs may lack rows that were well before.
 */
export function stepsBack(recorded: Ratios, runs: readonly Ratios[], margin: number = MARGIN): StepBack[] {
  return Object.entries(recorded).flatMap(([title, was]) => {
    const measured = runs.flatMap((run) => run[title] ?? [])
    const best = measured.length > 0 ? Math.min(...measured) : undefined
    return best !== undefined && best <= was * margin ? [] : [{ title, recorded: was, best }]
  })
}

/** Rows that were measured and stand in no record: they would be watched by nobody. */
export function unrecorded(recorded: Ratios, runs: readonly Ratios[]): string[] {
  return [...new Set(runs.flatMap((run) => Object.keys(run)))].filter((title) => !(title in recorded))
}
