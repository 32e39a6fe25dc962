/** The types of risk facts in the public API. */

/**
 * The severity of a fact. `stop`: do not approve without understanding it. `look`: read this place. `note`: good to know.
 */
export type RiskSeverity = 'stop' | 'look' | 'note'

/** A fact about a change, with its position. */
export interface RiskFact {
  /** A name from the table in docs/risk.md. Names stay the same between versions. */
  readonly name: string
  readonly severity: RiskSeverity
  /** The fact as a sentence for a person. */
  readonly sentence: string
  readonly path: string
  /** The line in the new content, counted from 1. */
  readonly line?: number
  /** For removed text: the line in the old content, counted from 1. */
  readonly oldLine?: number
}

/** The facts of one change, the most severe first. */
export interface Risk {
  readonly facts: readonly RiskFact[]
  /** The highest severity among the facts; `none` without facts. */
  readonly level: RiskSeverity | 'none'
}
