import { type Comparison, compare, type Effort } from './harness.js'
import { type Aim, OURS, type Row, rowText, type Unit } from './report.js'
import { growthExponent } from './stats.js'

/** What a suite is given: it measures and tells, row by row. */

export interface RowSpec extends Comparison {
  readonly title: string
  readonly aim?: Aim
  /** Peers that cannot take part, and why. */
  readonly absent?: Row['skipped']
  /** For operations of milliseconds: fewer rounds, of one run each. */
  readonly heavy?: boolean
}

export interface GrowthSpec extends RowSpec {
  /** The size each variant stands for; the baseline stands for none. */
  readonly sizes: readonly { readonly name: string; readonly size: number }[]
}

export interface Bench {
  readonly quick: boolean
  /** The suite was asked for by its name: what takes many minutes is not left out. */
  readonly patient: boolean
  readonly rows: readonly Row[]
  compare(spec: RowSpec): Promise<void>
  /** The same operation at several sizes, and the exponent of its growth. */
  growth(spec: GrowthSpec): Promise<void>
  /** A row whose values were not timed. */
  values(title: string, unit: Unit, values: readonly { name: string; value: number }[], aim?: Aim): void
  /** A whole row that could not be measured. */
  skip(title: string, reason: string, aim?: Aim): void
}

export type Suite = (bench: Bench) => Promise<void>

/** The optimizer takes some 100,000 calls to finish with code of ours that `node:fs` has in C++. */
const FULL: Effort = { rounds: 40, sampleMs: 2, warmUpMs: 250, budgetMs: 6_000 }
const QUICK: Effort = { rounds: 9, sampleMs: 0.7, warmUpMs: 40, budgetMs: 600 }
const FULL_HEAVY: Effort = { rounds: 7, sampleMs: 0, warmUpMs: 0.001, budgetMs: 15_000 }
const QUICK_HEAVY: Effort = { ...FULL_HEAVY, rounds: 3, budgetMs: 3_000 }

export interface BenchOptions {
  readonly quick: boolean
  readonly patient: boolean
}

/** @param tell is given each row's text as soon as it is measured. */
export function newBench({ quick, patient }: BenchOptions, tell: (text: string) => void): Bench {
  const rows: Row[] = []
  const add = (row: Row) => {
    rows.push(row)
    tell(`${rowText(row)}\n`)
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
    patient,
    rows,
    compare: async (spec) => add(await measure(spec)),
    growth: async (spec) => add(withGrowth(await measure(spec), spec)),
    values(title, unit, values, aim) {
      const results = values.map(({ name, value }) => ({ name, p25: value, median: value, p90: value }))
      add({ title, unit, results, skipped: [], ...(aim && { aim }) })
    },
    skip: (title, reason, aim) =>
      add({ title, unit: 'ns', results: [], skipped: [{ name: OURS, reason }], ...(aim && { aim }) }),
  }
}

/** Costs come from the ratios: they are paired by round, and a slow moment of the machine is in none of them. */
function withGrowth(row: Row, { sizes }: GrowthSpec): Row {
  const baseline = row.results[0]?.median
  const points = sizes.flatMap(({ name, size }) => {
    const ratio = row.results.find((result) => result.name === name)?.ratio
    return ratio && baseline !== undefined ? [{ size, cost: ratio.median * baseline }] : []
  })
  return points.length < 2 ? row : { ...row, growth: { points, exponent: growthExponent(points) } }
}
