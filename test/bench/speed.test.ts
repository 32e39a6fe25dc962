import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { AIMED } from '../../bench/aims.js'
import { type Report, reportText } from '../../bench/report.js'
import { speedTable, withHeadlines, withTable } from '../../bench/speed.js'
import { SUITES } from '../../bench/suites.js'

const machine = { cpu: 'A CPU', cores: 2, memoryGiB: 8, system: 'linux', node: 'v20.0.0', load: 0.5 }
const about = { date: '2026-01-02T03:04:05Z', quick: false, medium: 'tmpfs', machine }
const side = (name: string, median: number, ratio?: number) => ({
  ...{ name, p25: median, median, p90: median * 2 },
  ...(ratio !== undefined && { ratio: { low: ratio, median: ratio, high: ratio } }),
})
const report: Report = {
  ...{ ...about, suite: 'facade' },
  rows: [
    {
      ...{ title: 'reads of 10 files', unit: 'ns', aim: { of: 'ratio', atMost: 1.2 } },
      results: [side('node:fs', 1_000), side('escrowfs', 1_100, 1.1)],
      skipped: [{ name: 'a peer', reason: 'it has no sync calls' }],
    },
    {
      ...{ title: 'writes', unit: 'ns', aim: { of: 'value', atMost: 1_000 }, skipped: [] },
      results: [side('escrowfs', 2_000)],
    },
  ],
}
const rows = [
  {
    ...{ what: 'reads / writes / sleeps', beside: 'node:fs', missed: 'A write is checked.' },
    parts: ['reads', 'writes', 'sleeps'].map((title) => ({ suite: 'facade', title })),
  },
  { what: 'reads | alone', beside: '', missed: 'never said', parts: [{ suite: 'facade', title: 'reads' }] },
  { what: 'walks', beside: '', parts: [{ suite: 'none', title: 'walks' }] },
]

describe('the table of speed', () => {
  const table = speedTable([report], rows)

  it('has the aim, figure, date and verdict of each part of a row', () => {
    expect(table).toContain(
      '| reads / writes / sleeps | node:fs | ≤ 1.2× / ≤ 1.00 µs / – | 1.10× / 2.00 µs / not measured | 2026-01-02 | yes / **no** / – |',
    )
    expect(table).toContain('| reads \\| alone |  | ≤ 1.2× | 1.10× | 2026-01-02 | yes |')
    expect(table).toContain('| walks |  | – | not measured |  | – |')
  })

  it('gives reasons only for missed aims, and names the machine and its load', () => {
    expect(table).toContain('- Missed: reads / writes / sleeps. A write is checked.')
    expect(table).not.toContain('never said')
    expect(table).toContain('- facade: A CPU, 2 cores, 8 GiB, linux, Node v20.0.0, files on tmpfs, load 0.5')
  })

  it('replaces only the previous table', () => {
    const page = withTable('a\n<!-- measured: npm run bench -- all -->\nold\n<!-- /measured -->\nb\n', 'new\n')
    expect(page).toBe('a\n<!-- measured: npm run bench -- all -->\n\nnew\n\n<!-- /measured -->\nb\n')
    expect(withTable(page, 'new\n')).toBe(page)
    expect(() => withTable('no place', 'new')).toThrow('lost its place')
  })

  it('refers to existing suites', () => {
    const names = AIMED.flatMap(({ parts }) => parts.map(({ suite }) => suite))
    expect([...new Set(names)].filter((suite) => !(suite in SUITES))).toEqual([])
  })
})

describe("the README's figures", () => {
  const page = withTable('<!-- measured: npm run bench -- all -->\n<!-- /measured -->\n', speedTable([report], rows))
  const titled = rows.map((row) => ({ ...row, headline: `To do ${row.what}` }))
  const short = withHeadlines('a\n<!-- measured -->\nold\n<!-- /measured -->\nb\n', page, titled)

  it('match the page, with the aim if it is missed', () => {
    expect(short).toContain('- To do reads | alone costs 1.10×.\n')
    expect(short).toContain(
      '- To do reads / writes / sleeps costs 1.10× / 2.00 µs / not measured of node:fs. The aim is ≤ 1.2× / ≤ 1.00 µs / –.',
    )
    expect(short).toMatch(/^a\n<!-- measured -->\n[\s\S]*<!-- \/measured -->\nb\n$/)
    expect(short).not.toContain('old')
  })

  it('have a line exactly for each row with a headline', () => {
    expect(withHeadlines('<!-- measured --><!-- /measured -->', page, rows)).not.toMatch(/^- /m)
  })

  it('are up to date, or need npm run bench -- table', () => {
    const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
    const readme = read('README.md')
    expect(readme).toBe(withHeadlines(readme, read('docs/speed.md')))
    expect(/<!-- measured -->([\s\S]*)<!-- \/measured -->/.exec(readme)?.[1]?.match(/^- /gm)).toHaveLength(3)
  })
})

describe("a suite's text", () => {
  it('has each variant with its spread, the skipped ones, and the aim', () => {
    const text = reportText(report)
    expect(text).toContain('| escrowfs | 1.10 µs | 1.10 µs … 2.20 µs | 1.10× (1.10–1.10) |')
    expect(text).toContain('- a peer: skipped, it has no sync calls')
    expect(text).toContain('- aim ≤ 1.00 µs: missed, 2.00 µs')
  })
})

describe('docs/speed.md', () => {
  const page = readFileSync(new URL('../../docs/speed.md', import.meta.url), 'utf8')

  it('lists every suite, and has a place for the table', () => {
    const names = [...page.matchAll(/^\| `([\w-]+)` +\|/gm)].map(([, name]) => name)
    expect(names).toEqual(Object.keys(SUITES))
    expect(() => withTable(page, '')).not.toThrow()
  })
})
