import { type Comparison, compare, type Effort } from './harness.js'
import { type Aim, OURS, type Row, rowText, type Unit } from './report.js'
import { growthExponent, type Point } from './stats.js'

/** The interface of a suite, which measures and reports row by row. */

export interface RowSpec extends Comparison {
  readonly title: string
  readonly aim?: Aim
  /** Peers that cannot take part, with reasons. */
  readonly absent?: Row['skipped']
  /** For operations that take milliseconds: fewer rounds of one run each. */
  readonly heavy?: boolean
}

export interface GrowthSpec extends RowSpec {
  /** The size of each variant. The baseline has none. */
  readonly sizes: readonly { readonly name: string; readonly size: number }[]
}

export interface Bench {
  readonly quick: boolean
  /** True if the suite was named on the command line. Then it includes parts that take many minutes. */
  readonly isThorough: boolean
  /** True with --held-out: data that rules are not tuned on is measured, too. */
  readonly isHeldOut: boolean
  readonly rows: readonly Row[]
  compare(spec: RowSpec): Promise<void>
  /** Measures the same operation at several sizes, and the exponent of its growth. */
  growth(spec: GrowthSpec): Promise<void>
  /** Adds a row of growth whose costs, in nanoseconds, were measured elsewhere. @param of the unit of the sizes */
  curve(title: string, points: readonly Point[], of: string): void
  /** Adds a row whose values were not timed. */
  values(title: string, unit: Unit, values: readonly { name: string; value: number }[], aim?: Aim): void
  /** Adds a row that could not be measured. */
  skip(title: string, reason: string, aim?: Aim): void
}

export type Suite = (bench: Bench) => Promise<void>

/** V8 needs about 100,000 calls to optimize our JavaScript, while `node:fs` is C++. */
const FULL: Effort = { rounds: 40, sampleMs: 2, warmUpMs: 250, budgetMs: 6_000 }
const QUICK: Effort = { rounds: 9, sampleMs: 0.7, warmUpMs: 40, budgetMs: 600 }
const FULL_HEAVY: Effort = { rounds: 7, sampleMs: 0, warmUpMs: 0.001, budgetMs: 15_000 }
const QUICK_HEAVY: Effort = { ...FULL_HEAVY, rounds: 3, budgetMs: 3_000 }

export interface BenchOptions {
  readonly quick: boolean
  readonly isThorough: boolean
  readonly isHeldOut: boolean
}

/** @param onRow called with each row's text as soon as it is measured */
export function newBench({ quick, isThorough, isHeldOut }: BenchOptions, onRow: (text: string) => void): Bench {
  const rows: Row[] = []
  const add = (row: Row) => {
    rows.push(row)
    onRow(`${rowText(row)}\n`)
  }
  const measure = async (spec: RowSpec): Promise<Row> => {
    const light = quick ? QUICK : FULL
    const heavy = quick ? QUICK_HEAVY : FULL_HEAVY
    const { results, skipped } = await compare(spec, spec.heavy ? heavy : light)
    const { title, aim, absent = [] } = spec
    return { title, unit: 'ns', results, skipped: [...skipped, ...absent], ...(aim && { aim }) }
  }
  return {
    quick,
    isThorough,
    isHeldOut,
    rows,
    compare: async (spec) => add(await measure(spec)),
    growth: async (spec) => add(withGrowth(await measure(spec), spec)),
    curve(title, points, of) {
      const values = points.map(({ size, cost }) => ({
        name: `${OURS}, ${size.toLocaleString('en')} ${of}`,
        value: cost,
      }))
      const growth = { points, exponent: growthExponent(points) }
      add({ title, unit: 'ns', results: resultsOf(values), skipped: [], growth })
    },
    values(title, unit, values, aim) {
      add({ title, unit, results: resultsOf(values), skipped: [], ...(aim && { aim }) })
    },
    skip: (title, reason, aim) =>
      add({ title, unit: 'ns', results: [], skipped: [{ name: OURS, reason }], ...(aim && { aim }) }),
  }
}

/** Results of one value each. */
function resultsOf(values: readonly { name: string; value: number }[]): Row['results'] {
  return values.map(({ name, value }) => ({ name, p25: value, median: value, p90: value }))
}

/** Adds the growth of a row. Costs are derived from ratios paired by round, which a slow moment of the machine does not change. */
function withGrowth(row: Row, { sizes }: GrowthSpec): Row {
  const baseline = row.results[0]?.median
  const points = sizes.flatMap(({ name, size }) => {
    const ratio = row.results.find((result) => result.name === name)?.ratio
    return ratio && baseline !== undefined ? [{ size, cost: ratio.median * baseline }] : []
  })
  return points.length < 2 ? row : { ...row, growth: { points, exponent: growthExponent(points) } }
}
