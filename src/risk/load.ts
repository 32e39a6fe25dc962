import type { RiskFact } from '../core/risk-api.js'
import type { Changed } from './changed.js'
import type { FactsOptions } from './facts-of.js'

/**
 * Returns the facts of each change of a set, by path, most severe first. Facts come from both contents of each file and from the other
 * changes of the set. The size of a file and of the set bound the work. The rules load on first use, because most commands need none.
 */
export async function factsOf(set: readonly Changed[], options: FactsOptions = {}): Promise<Map<string, RiskFact[]>> {
  const { findFacts } = await import('./facts-of.js')
  return findFacts(set, options)
}
