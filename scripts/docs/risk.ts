import { FACTS } from '../../src/risk/index.js'
import { code, table } from './markdown.js'

/** The table of risk facts. */
export function factsTable(): string {
  const rows = Object.entries(FACTS).map(([name, { severity, sentence }]) => [code(name), severity, sentence])
  return table(['fact', 'severity', 'sentence'], rows)
}
