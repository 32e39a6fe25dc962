/** The types of risk facts in the public API. */

/**
 * How much a fact asks of a reviewer. `stop`: do not approve without understanding it. `look`: read this place. `note`: good to know.
 */
export type RiskSeverity = 'stop' | 'look' | 'note'

/** One thing that is true of a change, and where. */
export interface RiskFact {
  /** A name of the table in docs/risk.md. It stays the same between versions. */
  readonly name: string
  readonly severity: RiskSeverity
  /** What was found, for a person. */
  readonly sentence: string
  readonly path: string
  /** The line after the change, counted from 1. */
  readonly line?: number
  /** The line before the change, of something that is gone. */
  readonly oldLine?: number
}

/** The facts of one change: the gravest first. */
export interface Risk {
  readonly facts: readonly RiskFact[]
  /** The gravest severity among the facts; `none` without facts. */
  readonly level: RiskSeverity | 'none'
}
