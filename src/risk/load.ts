import type { RiskFact } from '../core/risk-api.js'
import type { Changed } from './changed.js'
import type { FactsOptions } from './facts-of.js'

/**
 * The facts of each change of a set, by path, the gravest first. Facts come from both contents of each file, and from what else is in
 * the set. The work is bounded: by the size of a file, and by the size of the set. The rules are loaded on first use, because most
 * commands need none.
 */
export async function factsOf(set: readonly Changed[], options: FactsOptions = {}): Promise<Map<string, RiskFact[]>> {
  const { findFacts } = await import('./facts-of.js')
  return findFacts(set, options)
}
