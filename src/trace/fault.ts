/** A line that cannot stand in the ledger, and why: `line` is its number, the reason a sentence about it. */
export interface Fault {
  readonly line: number
  readonly reason: string
  /** The chain divides here: two records continue one line. */
  readonly fork: boolean
}
