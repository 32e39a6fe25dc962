import { type Command, InvalidArgumentError } from 'commander'
import type { LedgerStats } from '../../index.js'
import type { Context } from '../context.js'
import { json, table } from '../output.js'

export function register(command: Command, { io, withWorkspace }: Context): void {
  command
    .description(
      'Show what the ledger adds up to: whose lines stand, how much was approved, how much was changed again.',
    )
    .option('--days <n>', 'how soon a change of a line counts as rework', wholeNumber, 30)
    .option('--json', 'print one JSON document')
    .action(async ({ days, ...options }: { days: number; json?: true }) => {
      const stats = await withWorkspace((workspace) => workspace.ledger.stats({ days }))
      io.out(options.json ? json(stats) : render(stats))
    })
}

function wholeNumber(text: string): number {
  if (!/^[1-9][0-9]{0,5}$/.test(text)) throw new InvalidArgumentError('A whole number above 0 is expected.')
  return Number(text)
}

function render({ lines, approval, rework }: LedgerStats): string {
  const { total, byIntent, byModel, byClass, ...kinds } = lines
  const shares = (title: string, counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([name, count]) => [title, name, `${count}`, percent(count / total)])
  return table([
    ...shares('lines', { ...kinds }).filter(([, , count]) => count !== '0'),
    ...shares('intent', byIntent),
    ...shares('model', byModel),
    ...shares('class', byClass),
    ['approved', 'paths', `${approval.approved} of ${approval.approved + approval.rejected}`, percent(approval.rate)],
    ['rework', `in ${rework.days} days`, `${rework.changed} of ${rework.written}`, percent(rework.rate)],
  ])
}

function percent(rate: number | null): string {
  return rate === null ? '-' : `${Math.round(rate * 100)} %`
}
