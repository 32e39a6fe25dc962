/** A line that breaks the chain: its number, and a sentence that gives the reason. */
export interface Fault {
  readonly line: number
  readonly reason: string
  /** The chain forks here: two records continue one line. */
  readonly fork: boolean
}
