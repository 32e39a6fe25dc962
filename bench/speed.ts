import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { AIMED, type AimedRow } from './aims.js'
import { aimText, measuredText, type Report, type Row, resultOf, verdictOf } from './report.js'
import { runTool } from './tools.js'

const PAGE = fileURLToPath(new URL('../docs/speed.md', import.meta.url))
const README = fileURLToPath(new URL('../README.md', import.meta.url))
const END = '<!-- /measured -->'
const BEGIN = '<!-- measured: npm run bench -- all -->'
const SHORT = '<!-- measured -->'

/** Writes the table of the last results into docs/speed.md, and some figures into the README. @returns the files, relative to the repository */
export function updateSpeedPage(): string {
  const suites = [...new Set(AIMED.flatMap(({ parts }) => parts.map(({ suite }) => suite)))]
  const reports = suites.flatMap((suite) => {
    const files = [`${suite}.json`, `${suite}.quick.json`].map(resultOf).filter((file) => existsSync(file))
    const found = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Report)
    // Use the newest result. A quick run is marked as one.
    return found.sort((a, b) => b.date.localeCompare(a.date)).slice(0, 1)
  })
  const page = withTable(readFileSync(PAGE, 'utf8'), speedTable(reports))
  writeFileSync(PAGE, page)
  writeFileSync(README, withHeadlines(readFileSync(README, 'utf8'), page))
  // Format the tables as the check requires.
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome')
  runTool(process.execPath, [biome, 'format', '--write', PAGE, README])
  return 'docs/speed.md, README.md'
}

/** Replaces the table of a page. @throws Error if the page has no place for it */
export function withTable(page: string, table: string, begin = BEGIN): string {
  const [before, rest] = page.split(begin)
  const after = rest?.split(END)[1]
  if (after === undefined) throw new Error(`The page has lost its place for the table: ${begin} … ${END}`)
  return `${before}${begin}\n\n${table}\n${END}${after}`
}

/** Updates the README: a line for each row with a headline, with the figures of the page's table. */
export function withHeadlines(readme: string, page: string, aimed: readonly AimedRow[] = AIMED): string {
  const table = page.split(BEGIN)[1]?.split(END)[0] ?? ''
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map(cellsOf)
  const lines = aimed.flatMap(({ what, headline }) => {
    const row = headline === undefined ? undefined : rows.find(([first]) => first === what)
    if (row === undefined) return []
    const [, beside, aim, measured, , met] = row
    const miss = met === 'yes' ? '' : ` The aim is ${aim}.`
    return [`- ${headline} costs ${measured}${beside === '' ? '' : ` of ${beside}`}.${miss}\n`]
  })
  return withTable(readme, lines.join(''), SHORT)
}

/** The cells of a table row. A bar within a cell is escaped. */
function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** The table of aims with measurements and dates, then the reasons of missed aims, then the machines. */
export function speedTable(reports: readonly Report[], rows: readonly AimedRow[] = AIMED): string {
  const lines = rows.map((row) => cells(lineOf(row, reports)))
  const notes = rows.flatMap((row) => {
    const isMissed = measuredRows(row, reports).some((part) => part && verdictOf(part)?.met === false)
    return isMissed && row.missed !== undefined ? [`- Missed: ${row.what}. ${row.missed}`] : []
  })
  const machines = [...new Set(reports.map(machineText))].map((machine) => `- ${machine}`)
  const head = [cells(['what', 'compared with', 'aim', 'measured', 'date', 'met']), cells(Array(6).fill('---'))]
  return [
    ...head,
    ...lines,
    '',
    ...notes,
    '',
    'Machine, and its load average over the minute before the run:',
    '',
    ...machines,
    '',
  ].join('\n')
}

function lineOf(row: AimedRow, reports: readonly Report[]): string[] {
  const found = measuredRows(row, reports)
  const dates = row.parts.flatMap(
    ({ suite }) => reports.find((report) => report.suite === suite)?.date.slice(0, 10) ?? [],
  )
  const measured = found.map((part) => (part && verdictOf(part) ? measuredText(part) : 'not measured'))
  const met = found.map((part) => {
    const verdict = part && verdictOf(part)
    return verdict ? (verdict.met ? 'yes' : '**no**') : '–'
  })
  return [
    row.what,
    row.beside,
    joinDistinct(found.map((part) => (part ? aimText(part) : '–'))),
    measured.join(' / '),
    joinDistinct(dates),
    joinDistinct(met),
  ]
}

/** The measured row of each part. Undefined if the suite has not run or has no such row. */
function measuredRows({ parts }: AimedRow, reports: readonly Report[]): (Row | undefined)[] {
  return parts.map(({ suite, title }) =>
    reports.find((report) => report.suite === suite)?.rows.find((row) => row.title.startsWith(title)),
  )
}

/** Joins words with slashes. Equal words become one. */
function joinDistinct(texts: readonly string[]): string {
  return [...new Set(texts)].length === 1 ? (texts[0] ?? '') : texts.join(' / ')
}

function cells(texts: readonly string[]): string {
  return `| ${texts.map((word) => word.replaceAll('|', '\\|')).join(' | ')} |`
}

function machineText({ suite, machine, medium, quick }: Report): string {
  const { cpu, cores, memoryGiB, system, node, load } = machine
  const effort = quick ? ', quick run, of a tenth of the sizes named above' : ''
  return `${suite}: ${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}, files on ${medium}, load ${load}${effort}`
}
