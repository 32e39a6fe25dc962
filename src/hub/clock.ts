/** Returns the time as ISO 8601; null: the database's, which is the same for all hosts. */
export type Clock = () => string | null

export const DATABASE_CLOCK: Clock = () => null

/** The SQL of the time, given the number of the parameter that has the clock's. */
export function nowAsSql(parameter: number): string {
  return `coalesce($${parameter}::text::timestamptz, clock_timestamp())`
}
