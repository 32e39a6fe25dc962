import { describe, expect, it } from 'vitest'
import { chart } from '../../bench/chart.js'
import type { Result } from '../../bench/harness.js'
import { quantity, type Report, type Row, rowText, summaryText, verdictOf } from '../../bench/report.js'

const result = (name: string, median: number, ratio?: number): Result => ({
  name,
  p25: median,
  median,
  p90: median,
  ...(ratio !== undefined && { ratio: { low: ratio, median: ratio, high: ratio } }),
})

const row = (title: string, aim: Row['aim'], ratio: number): Row => ({
  title,
  unit: 'ns',
  results: [result('node:fs', 1_000), result('escrowfs', 1_000 * ratio, ratio), result('a <peer>', 5_000, 5)],
  skipped: [{ name: 'another', reason: 'it has no sync calls' }],
  ...(aim && { aim }),
})

const met = row('reads', { of: 'ratio', atMost: 1.2 }, 1.2)
const missed = row('writes', { of: 'ratio', atMost: 1.2 }, 1.21)
const absent: Row = {
  ...met,
  title: 'snapshots',
  results: [],
  skipped: [{ name: 'escrowfs', reason: 'not there yet' }],
}
const growing: Row = {
  ...row('as the stage grows: stat', { of: 'exponent', atMost: 0.1 }, 2),
  results: [result('node:fs', 1_000), result('1,000 files', 1_000, 1), result('10,000 files', 2_000, 2)],
  growth: {
    exponent: 0.3,
    points: [
      { size: 1_000, cost: 1_000 },
      { size: 10_000, cost: 2_000 },
    ],
  },
}
const sized: Row = { ...met, title: 'memory', unit: 'bytes', aim: { of: 'value', atMost: 1_024 } }

describe('a verdict', () => {
  it("is met up to and including the aim, by the aim's measure", () => {
    expect(verdictOf(met)).toEqual({ value: 1.2, met: true })
    expect(verdictOf(missed)).toEqual({ value: 1.21, met: false })
    expect(verdictOf(sized)).toEqual({ value: 1_200, met: false })
    expect(verdictOf(growing)).toEqual({ value: 0.3, met: false })
  })

  it('is undefined without an aim, or if escrowfs did not run', () => {
    expect(verdictOf(row('reads', undefined, 1))).toBeUndefined()
    expect(verdictOf(absent)).toBeUndefined()
  })
})

describe('the text', () => {
  it('lists skipped rows with reasons, and missed aims with values', () => {
    expect(rowText(missed)).toMatch(/another +skipped: it has no sync calls/)
    expect(rowText(missed)).toContain('aim ≤ 1.2×: missed, 1.21×')
    expect(rowText(growing)).toContain('grows as size^0.30')
    const summary = summaryText([met, missed, absent])
    expect(summary).toContain('1 of 2 aims met.')
    expect(summary).toContain('missed: writes: 1.21×, aim ≤ 1.2×')
    expect(summary).toContain('not measured: snapshots: not there yet')
  })

  it('formats quantities in a fitting unit', () => {
    expect([2, 2_500, 3.2e6, 4.51e9].map((value) => quantity(value, 'ns'))).toEqual([
      '2.00 ns',
      '2.50 µs',
      '3.20 ms',
      '4.51 s',
    ])
    expect([12, 2_048, 5 * 2 ** 20].map((value) => quantity(value, 'bytes'))).toEqual([
      '12.0 B',
      '2.00 KiB',
      '5.00 MiB',
    ])
    expect(quantity(0.25, 'ns')).toBe('0.25 ns')
  })
})

describe('the chart', () => {
  const machine = { cpu: 'A & B', cores: 2, memoryGiB: 8, system: 'linux', node: 'v20.0.0', load: 7.5 }
  const rows = [met, missed, absent, growing, sized]
  const report: Report = { suite: 'facade', date: '2026-01-02T03:04:05Z', quick: false, medium: 'tmpfs', machine, rows }
  const svg = chart(report)

  it('names the machine and the date', () => {
    for (const fact of ['2026-01-02', 'Node v20.0.0', 'A &amp; B', 'load 7.5', 'tmpfs']) expect(svg).toContain(fact)
  })

  it('shows each ratio with its aim, the values, and the growth of cost', () => {
    expect(svg).toContain('1.20×, aim ≤ 1.2×')
    expect(svg).toContain('1.21×, aim ≤ 1.2×')
    expect(svg).toContain('memory: 1.17 KiB, aim ≤ 1.00 KiB')
    expect(svg).toContain('stat: size^0.30')
  })

  it('is well-formed XML with valid numbers', () => {
    expect(svg).toContain('a &lt;peer&gt;')
    expect(svg).not.toMatch(/NaN|Infinity|undefined/)
    expect(svg.match(/<text /g)?.length).toBe(svg.match(/<\/text>/g)?.length)
  })

  it('draws ratios beyond the axis inside the picture', () => {
    const wild = chart({ ...report, rows: [row('far', undefined, 1e9), row('near', undefined, 1e-9)] })
    const places = [...wild.matchAll(/cx="([\d.-]+)"/g)].map((match) => Number(match[1]))
    expect(Math.min(...places)).toBeGreaterThan(0)
    expect(Math.max(...places)).toBeLessThan(1_000)
  })
})
