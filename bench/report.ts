import { mkdirSync, writeFileSync } from 'node:fs'
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Result, Skipped } from './harness.js'
import type { Summary } from './stats.js'

/** The results of a suite: rows, aims, and their formats. */

/** The aim of a row. `ratio` is escrowfs to the baseline, `value` is in the row's unit. */
export interface Aim {
  readonly of: 'ratio' | 'value' | 'exponent'
  readonly atMost: number
}

export type Unit = 'ns' | 'bytes' | 'count' | 'percent'

export interface Row {
  readonly title: string
  readonly unit: Unit
  readonly results: readonly Result[]
  readonly skipped: readonly Skipped[]
  readonly aim?: Aim
  /** Cost by size, in a row of growth. */
  readonly growth?: { readonly exponent: number; readonly points: readonly { size: number; cost: number }[] }
}

export interface Verdict {
  readonly value: number
  readonly met: boolean
}

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly system: string
  readonly node: string
  /** The load average of the last minute. Above the number of cores, other processes took part of the time. */
  readonly load: number
}

export interface Report {
  readonly suite: string
  readonly date: string
  readonly quick: boolean
  /** The medium of the measured files. */
  readonly medium: string
  readonly machine: Machine
  readonly rows: readonly Row[]
}

/** The name of our results in every row. */
export const OURS = 'escrowfs'

export function thisMachine(): Machine {
  const all = cpus()
  return {
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release().split('-')[0]} ${arch()}`,
    node: process.version,
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  }
}

/** The verdict of a row. Undefined without an aim, or if escrowfs did not run. */
export function verdictOf({ aim, results, growth }: Row): Verdict | undefined {
  if (!aim) return undefined
  const ours = results.find(({ name }) => name === OURS)
  const value = aim.of === 'value' ? ours?.median : aim.of === 'ratio' ? ours?.ratio?.median : growth?.exponent
  return value === undefined ? undefined : { value, met: value <= aim.atMost }
}

/** Formats a row as lines of text. */
export function rowText(row: Row): string {
  const lines = row.results.map(
    (result) => `  ${result.name.padEnd(36)}${costText(result, row.unit)}${ratioText(result)}`,
  )
  const skipped = row.skipped.map(({ name, reason }) => `  ${name.padEnd(36)}skipped: ${reason}`)
  return [row.title, ...lines, ...skipped, ...verdictLines(row)].join('\n')
}

/** Formats a suite's rows as tables with variants, versions and spreads. */
export function reportText(report: Report): string {
  const tables = report.rows.map((row) => {
    const lines = row.results.map((result) => {
      const { name, p25, median, p90, ratio } = result
      const spread = p25 === p90 ? '' : `${quantity(p25, row.unit)} … ${quantity(p90, row.unit)}`
      const multiple = ratio ? `${times(ratio.median)} (${digits(ratio.low)}–${digits(ratio.high)})` : ''
      return `| ${name} | ${quantity(median, row.unit)} | ${spread} | ${multiple} |`
    })
    const skipped = row.skipped.map(({ name, reason }) => `- ${name}: skipped, ${reason.split('\n')[0]}`)
    const head = ['| | median | p25 … p90 | to the first |', '| --- | --- | --- | --- |']
    const verdicts = verdictLines(row).map((line) => `- ${line.trim()}`)
    return [
      `## ${row.title}`,
      '',
      ...(lines.length > 0 ? [...head, ...lines, ''] : []),
      ...verdicts,
      ...skipped,
      '',
    ].join('\n')
  })
  return [`# ${report.suite}`, '', headline(report), '', ...tables].join('\n')
}

/** Formats the number of met aims, and lists the missed ones. */
export function summaryText(rows: readonly Row[]): string {
  const judged = rows.flatMap((row) => {
    const verdict = verdictOf(row)
    return verdict ? [{ row, verdict }] : []
  })
  const missed = judged.filter(({ verdict }) => !verdict.met)
  const unjudged = rows.filter((row) => row.aim && !verdictOf(row))
  return [
    `${judged.length - missed.length} of ${judged.length} aims met.`,
    ...missed.map(({ row, verdict }) => `missed: ${row.title}: ${amount(verdict.value, row)}, aim ${aimText(row)}`),
    ...unjudged.map((row) => `not measured: ${row.title}: ${row.skipped.map(({ reason }) => reason).join('; ')}`),
  ].join('\n')
}

export function headline({ date, quick, medium, machine }: Report): string {
  const { cpu, cores, memoryGiB, system, node, load } = machine
  const effort = quick ? ', quick run' : ''
  return `${date.slice(0, 10)}, Node ${node}, ${cpu}, ${cores} cores (load ${load} before), ${memoryGiB} GiB, ${system}, files on ${medium}${effort}`
}

const RESULTS = fileURLToPath(new URL('results/', import.meta.url))

/** The path of a result, which may not exist. */
export function resultOf(name: string): string {
  return `${RESULTS}${name}`
}

/** Writes a result. @returns its path relative to the repository */
export function saveResult(name: string, content: string): string {
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(resultOf(name), content)
  return `bench/results/${name}`
}

export function aimText({ aim, unit }: Row): string {
  if (!aim) return ''
  if (aim.of === 'value') return `≤ ${quantity(aim.atMost, unit)}`
  return aim.of === 'ratio' ? `≤ ${aim.atMost}×` : `≤ size^${aim.atMost}`
}

/** Formats a cost or size with its unit in three digits. */
export function quantity(value: number, unit: Unit): string {
  if (unit === 'count') return `${value}`
  if (unit === 'percent') return `${digits(value)} %`
  const steps: readonly [number, string][] =
    unit === 'ns'
      ? [
          [1e9, 's'],
          [1e6, 'ms'],
          [1e3, 'µs'],
          [1, 'ns'],
        ]
      : [
          [2 ** 20, 'MiB'],
          [2 ** 10, 'KiB'],
          [1, 'B'],
        ]
  const [step, name] = steps.find(([size]) => Math.abs(value) >= size) ?? steps.at(-1) ?? [1, '']
  return `${digits(value / step)} ${name}`
}

/** Formats a ratio. */
export function times(ratio: number): string {
  return `${digits(ratio)}×`
}

function digits(value: number): string {
  if (value > 0 && value < 0.1) return value.toPrecision(2)
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

function costText({ p25, median, p90 }: Summary, unit: Unit): string {
  const spread = p25 === p90 ? '' : `${quantity(p25, unit)} … ${quantity(p90, unit)}`
  return `${quantity(median, unit).padStart(10)}  ${spread.padEnd(22)}`
}

function ratioText({ ratio }: Result): string {
  if (!ratio) return ''
  return `${digits(ratio.median).padStart(7)}×  (${digits(ratio.low)}–${digits(ratio.high)})`
}

function verdictLines(row: Row): string[] {
  const growth = row.growth ? [`  grows as size^${row.growth.exponent.toFixed(2)}`] : []
  const verdict = verdictOf(row)
  if (!verdict) return growth
  return [...growth, `  aim ${aimText(row)}: ${verdict.met ? 'met' : 'missed'}, ${amount(verdict.value, row)}`]
}

/** Formats the value that the aim is compared with. */
export function measuredText(row: Row): string {
  const verdict = verdictOf(row)
  return verdict ? amount(verdict.value, row) : ''
}

function amount(value: number, { aim, unit }: Row): string {
  if (aim?.of === 'value') return quantity(value, unit)
  return aim?.of === 'ratio' ? times(value) : `size^${value.toFixed(2)}`
}
