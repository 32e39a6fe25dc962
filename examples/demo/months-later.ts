import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { escrow } from './commands.js'
import type { Report } from './report.js'
import type { DemoWorkspace } from './workspace.js'

const OLD = 'src/v4/core/country-codes.ts'
const NEW = 'src/v4/data/codes/country-codes.ts'

/** The person moves and edits an agent's file without escrow. `escrow blame` still attributes each line. */
export async function replayMonthsLater(place: DemoWorkspace, report: Report): Promise<void> {
  report.section('Months later: a file was moved, and a person wrote into it')
  const text = readFileSync(join(place.root, OLD), 'utf8')
  mkdirSync(dirname(join(place.root, NEW)), { recursive: true })
  renameSync(join(place.root, OLD), join(place.root, NEW))
  writeFileSync(join(place.root, NEW), `// Checked against ISO 3166-1 by hand.\n${text}`)
  report.person(`moves ${OLD} to ${NEW} and adds a line at its top`, '', true)
  const { status, stdout, stderr } = await escrow(place, ['blame', NEW])
  report.person(`escrow blame ${NEW}`, stdout + stderr, status === 0)
  const [first = '', ...rest] = stdout.trimEnd().split('\n')
  const isAttributed =
    rest.length === text.trimEnd().split('\n').length && rest.every((line) => line.includes('INT-001'))
  report.check(
    isAttributed && !first.includes('INT-001'),
    'Each line the agent wrote is still of INT-001, and the new one is not',
  )
}
