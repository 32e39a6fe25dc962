import type { Command } from 'commander'
import type { LedgerStats, ReleaseTotals } from '../../index.js'
import type { Context } from '../context.js'
import { parseWholeNumber } from '../numbers.js'
import { type AsJson, json, jsonOption, pluralize, table } from '../output.js'
import { withProgress } from '../progress.js'

export function register(command: Command, { io, withWorkspace }: Context): void {
  command
    .description(
      'Show totals from the ledger: who wrote the current lines, how much was approved, how much was changed again, and what rules released.',
    )
    .option('--days <n>', 'days within which a changed line counts as rework', parseWholeNumber, 30)
    .addOption(jsonOption())
    .action(async ({ days, ...options }: { days: number } & AsJson) => {
      const stats = await withProgress(io, 'Reading the ledger', () =>
        withWorkspace((workspace) => workspace.ledger.stats({ days })),
      )
      io.out(options.json ? json(stats) : render(stats, io.columns))
    })
}

type Row = readonly [title: string, name: string, count: string, rate: number | null]

/** Renders the totals. On a terminal each row ends with a bar that fits the width. */
function render({ lines, approval, rework, released }: LedgerStats, columns: number | undefined): string {
  const { total, byIntent, byModel, byClass, ...kinds } = lines
  const shares = (title: string, counts: Readonly<Record<string, number>>): Row[] =>
    Object.entries(counts).map(([name, count]) => [title, name, `${count}`, total === 0 ? null : count / total])
  const rows: Row[] = [
    ...shares('lines', { ...kinds }).filter(([, , count]) => count !== '0'),
    ...shares('intent', byIntent),
    ...shares('model', byModel),
    ...shares('class', byClass),
    ['approved', 'paths', `${approval.approved} of ${approval.approved + approval.rejected}`, approval.rate],
    ['rework', `in ${rework.days} days`, `${rework.changed} of ${rework.written}`, rework.rate],
    ...releasedRows(released),
  ]
  const cells = rows.map(([title, name, count, rate]) => [title, name, count, formatPercent(rate)])
  if (columns === undefined) return table(cells)
  const usedColumns =
    Math.max(
      ...table(cells)
        .split('\n')
        .map((line) => line.length),
    ) + 2
  const room = Math.min(columns - 1 - usedColumns, MAX_BAR)
  return room < MIN_BAR ? table(cells) : table(rows.map((row, at) => [...(cells[at] ?? []), drawBar(row[3], room)]))
}

/** A row for people and one for each tier; none without a release by rule. */
function releasedRows({ byPeople, byTier }: ReleaseTotals): Row[] {
  const tiers = Object.entries(byTier)
  if (tiers.length === 0) return []
  const rows = [['by people', byPeople] as const, ...tiers.map(([name, counts]) => [`rule ${name}`, counts] as const)]
  const all = rows.reduce((sum, [, { changes }]) => sum + changes, 0)
  return rows.map(([name, { commits, changes, undone }]) => {
    const some = undone === 0 ? '' : `, ${undone} undone`
    return ['released', name, `${changes} in ${pluralize(commits, 'commit')}${some}`, all === 0 ? null : changes / all]
  })
}

const MAX_BAR = 30
const MIN_BAR = 8
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

function drawBar(rate: number | null, room: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, rate ?? 0)) * room * 8)
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '')
}

function formatPercent(rate: number | null): string {
  return rate === null ? '-' : `${Math.round(rate * 100)} %`
}
