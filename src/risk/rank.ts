import type { Risk, RiskFact } from '../core/risk-api.js'
import { gravityOf } from './facts.js'

/** The facts of a change, with the highest severity. */
export function riskOf(facts: readonly RiskFact[]): Risk {
  return { facts, level: facts[0]?.severity ?? 'none' }
}

interface Ranked {
  readonly path: string
  readonly risk?: Risk
}

/**
 * The order in which to read changes: by the highest severity of their facts, then by how many facts have it, then by the number of
 * other facts of weight, then by path. Notes never lift a change above another.
 */
export function byRisk(a: Ranked, b: Ranked): number {
  const [first, second] = [a.risk ?? riskOf([]), b.risk ?? riskOf([])]
  return (
    gravityOf(first.level) - gravityOf(second.level) ||
    kindsOf(second, 'stop') - kindsOf(first, 'stop') ||
    kindsOf(second, 'look') - kindsOf(first, 'look') ||
    (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
  )
}

/** Facts of different names: the same fact twenty times weighs no more than once. */
function kindsOf({ facts }: Risk, severity: RiskFact['severity']): number {
  return new Set(facts.filter((each) => each.severity === severity).map(({ name }) => name)).size
}
