/** Returns the time as ISO 8601; null: the database's, which is the same for all hosts. */
export type Clock = () => string | null

export const DATABASE_CLOCK: Clock = () => null

/** Time servers correct a clock by less. */
const CORRECTION_MS = 60_000

/**
 * The SQL of whether something still lasts. An end that is later than anything that begins now could have is from before the clock
 * was set back, so it does not count. Otherwise the lease of a dead machine, or a sign-in, could last for days.
 * @param until the column of its end
 * @param now the SQL of the time
 * @param longestMs the most milliseconds that it lasts
 */
export function lastsAsSql(until: string, now: string, longestMs: number): string {
  return `(${until} > ${now} and ${until} <= ${now} + interval '${longestMs + CORRECTION_MS} milliseconds')`
}

/** The SQL of the time, given the number of the parameter that has the clock's. */
export function nowAsSql(parameter: number): string {
  return `coalesce($${parameter}::text::timestamptz, clock_timestamp())`
}
