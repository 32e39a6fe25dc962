import type { ReleaseDecision } from '../index.js'
import { pluralize } from './output.js'
import { oneLine } from './printable.js'

/** What policy would do with each change. */
export function renderDecisions(decisions: readonly ReleaseDecision[]): string {
  if (decisions.length === 0) return 'There is no change.\n'
  const rows = decisions.map(({ path, tier, reasons }) =>
    tier === undefined
      ? `needs a person  ${oneLine(path)}: ${oneLine(reasons.join('; '))}\n`
      : `would release  ${oneLine(path)}  (${oneLine(tier)})\n`,
  )
  const count = decisions.filter(({ tier }) => tier !== undefined).length
  return `${rows.join('')}${count} of ${pluralize(decisions.length, 'change')} would be released by rule.\n`
}
