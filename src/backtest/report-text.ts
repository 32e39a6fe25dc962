import { COMMAND_CLASSES } from '../core/command-class.js'
import { oneLine } from '../core/printable.js'
import { KNOWN_FORMATS } from './known-formats.js'
import type { BacktestReport, Listed } from './tally.js'

const MAX_ROWS = 5

/** The report for a terminal. All texts of the history are made printable. */
export function renderText(report: BacktestReport, { columns = 100 }: { readonly columns?: number } = {}): string {
  const { calls, read, sessions, prompts, review } = report
  if (calls.all === 0) return emptyText(report, columns)
  const share = (part: number) => percent(part, calls.all)
  const outcomes = [
    ['allowed', calls.allowed, 'nothing to review'],
    ['staged', calls.staged, 'their changes would have waited for the review'],
    ['asked', calls.asked, `${count(prompts.total, 'question')} to you`],
    ['refused', calls.refused, 'they would not have run, or their change of .git would have been dropped'],
  ] as const
  const rows = outcomes.map(([name, n, words]) => [name, number(n), share(n), words])
  return [
    `${count(calls.all, 'tool call')} of ${count(sessions.length, 'session')} in ${count(read.files, 'file')}.${brokenWords(report)}\n\n`,
    columnsOf(rows, columns),
    `\nQuestions in a session: ${decimal(prompts.mean)} on average, ${prompts.p95} or fewer in 95 of 100 sessions, at most ${prompts.max}.\n`,
    `Files in a review: ${decimal(review.mean)} on average, ${review.p95} or fewer in 95 of 100 sessions, at most ${review.max}.\n`,
    section('Asked and refused, by rule', ruleRows(report), columns),
    section('Commands, by class', classRows(report), columns),
    networkWords(report),
    listSection('Secrets named', report.secrets, columns),
    listSection('Writes outside the workspace', report.outside, columns),
    listSection('Deletions', report.deletions, columns),
  ].join('')
}

/** Why there is nothing to report, and what to name instead. */
function emptyText(report: BacktestReport, columns: number): string {
  const { read } = report
  if (read.calls > 0)
    return `No session in ${count(read.files, 'file')} began in the chosen directory. Left out: ${count(read.calls, 'tool call')} of other sessions. Include them with '--below /'.\n`
  const rows = KNOWN_FORMATS.map(([client, files]) => [client, files])
  const found = `No tool call was found in ${count(read.files, 'file')}.${brokenWords(report)}`
  return `${found}\n${section('Histories that escrow backtest reads', rows, columns)}`
}

function brokenWords({ read: { broken, skippedFiles, repeated } }: BacktestReport): string {
  const parts = [
    ...(broken === 0 ? [] : [`${count(broken, 'broken line')} left out`]),
    ...(skippedFiles === 0 ? [] : [`${count(skippedFiles, 'file')} could not be read`]),
    ...(repeated === 0 ? [] : [`${count(repeated, 'call')} seen before`]),
  ]
  return parts.length === 0 ? '' : ` ${parts.join(', ')}.`
}

/** The network access that commands get which need it. They run in any case. */
export function networkWords({ classes, network }: Pick<BacktestReport, 'classes' | 'network'>): string {
  if (classes.network === 0 || network === true) return ''
  if (typeof network === 'object')
    return `  ${count(classes.network, 'command')} of class network: they reach ${network.join(', ') || 'no host'} (terminal.network).\n`
  const gets = network === 'ask' ? 'get it only after a question' : 'get none, so downloads fail'
  return `  ${count(classes.network, 'command')} of class network: commands ${gets} (terminal.network).\n`
}

function ruleRows({ rules }: BacktestReport): string[][] {
  return rules.map(({ rule, outcome, count: n, examples }) => [outcome, rule, number(n), examples[0] ?? ''])
}

function classRows({ classes }: BacktestReport): string[][] {
  const all = Math.max(1, ...Object.values(classes))
  return COMMAND_CLASSES.map((name) => [name, number(classes[name]), bar(classes[name] / all)])
}

function listSection(title: string, { total, first }: Listed, columns: number): string {
  if (total === 0) return ''
  const shown = first.slice(0, MAX_ROWS)
  const remaining = total - shown.reduce((sum, each) => sum + each.count, 0)
  const rows = shown.map((each) => [number(each.count), each.name])
  return section(
    `${title}: ${number(total)}`,
    [...rows, ...(remaining > 0 ? [[number(remaining), 'others']] : [])],
    columns,
  )
}

function section(title: string, rows: readonly (readonly string[])[], columns: number): string {
  return rows.length === 0 ? '' : `\n${title}\n${columnsOf(rows, columns)}`
}

/** Aligned columns, numbers to the right. A line that is too long for the terminal is cut. */
function columnsOf(rows: readonly (readonly string[])[], columns: number): string {
  const cells = rows.map((row) => row.map(oneLine))
  const widths = [0, 1, 2, 3].map((at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  return cells
    .map((row) => {
      const texts = row.map((cell, at) =>
        /^[\d,. %<]+$/.test(cell) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
      )
      const line = `  ${texts.join('  ')}`.trimEnd()
      return line.length > columns ? `${line.slice(0, columns - 1)}…\n` : `${line}\n`
    })
    .join('')
}

function bar(part: number): string {
  return '█'.repeat(Math.round(part * 30))
}

export function number(value: number): string {
  return value.toLocaleString('en-US')
}

export function decimal(value: number): string {
  return value.toFixed(value < 10 && value % 1 !== 0 ? 1 : 0)
}

export function percent(part: number, all: number): string {
  const share = all === 0 ? 0 : (100 * part) / all
  return part > 0 && share < 0.1 ? '<0.1 %' : `${share.toFixed(1)} %`
}

export function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`
}
