import type { AdoptReport } from '../index.js'
import { type Context, EXIT } from './context.js'
import { json, pluralize } from './output.js'

/** Prints which commits got a note. */
export function reportAdopted({ io, exit }: Context, { written, left }: AdoptReport, asJson: boolean): void {
  if (asJson) io.out(json({ written, left }))
  else if (written.length === 0) io.out('The notes need no change.\n')
  else io.out(written.map((id) => `noted    ${id.slice(0, 10)}\n`).join(''))
  if (left === 0) return
  io.err(`escrow: ${pluralize(left, 'commit')} left out: too many files for one call. Give a shorter range.\n`)
  exit(EXIT.refused)
}
