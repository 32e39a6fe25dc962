import { type Ratio, ratioOf, type Summary, summarize } from './stats.js'

/** Compares variants of one operation, interleaved in one process. */

/** One side of a comparison. */
export interface Variant {
  /** The name with the version, for the table. */
  readonly name: string
  /** Runs one operation, or `opsPerRun` of them. @param iteration the number of this variant's run, including warm-up */
  run(iteration: number): unknown
  /** Runs before each sample, untimed. Then each sample is a single run. */
  readonly before?: () => unknown
}

export interface Comparison {
  /** The first is the baseline of the ratios. */
  readonly variants: readonly Variant[]
  /** With `async`, each run is awaited before the next one starts. */
  readonly mode: 'sync' | 'async'
  readonly opsPerRun?: number
  /** The maximum runs per sample, for operations that leave files behind. */
  readonly maxBatch?: number
  /** The maximum runs of the warm-up. */
  readonly maxWarmUp?: number
}

export interface Effort {
  /** Samples of each variant. */
  readonly rounds: number
  /** The target duration of a sample in milliseconds. */
  readonly sampleMs: number
  /** The warm-up of each variant in milliseconds. */
  readonly warmUpMs: number
  /** A comparison that takes longer ends after a few rounds, in milliseconds. */
  readonly budgetMs?: number
}

export interface Result extends Summary {
  readonly name: string
  /** The ratio to the baseline, which has none itself. */
  readonly ratio?: Ratio
}

/** A variant that was not measured, with the reason. */
export interface Skipped {
  readonly name: string
  readonly reason: string
}

export interface ComparisonResult {
  /** Nanoseconds per operation, the baseline first. */
  readonly results: readonly Result[]
  /** Variants that failed, with their errors. */
  readonly skipped: readonly Skipped[]
}

/** @returns nanoseconds */
export type Clock = () => number

const clockOfHost: Clock = () => Number(process.hrtime.bigint())
const MAX_BATCH = 1 << 16
/** The minimum number of samples, however slow they are. */
const MIN_ROUNDS = 3

/** Stores the last result, so that V8 cannot remove the operation as unused. */
const sink: { last: unknown } = { last: undefined }

/**
 * Measures the variants. Each round takes one sample of every variant. The order changes by round, so that none always runs
 * after the same other one. A variant that throws is skipped; if the baseline throws, there are no results.
 */
export async function compare(
  comparison: Comparison,
  effort: Effort,
  clock: Clock = clockOfHost,
): Promise<ComparisonResult> {
  const skipped: Skipped[] = []
  const lanes: VariantRun[] = []
  const fail = (lane: VariantRun, error: unknown) => {
    lanes.splice(lanes.indexOf(lane), 1)
    skipped.push({ name: lane.variant.name, reason: error instanceof Error ? error.message : String(error) })
  }
  for (const variant of comparison.variants) lanes.push(new VariantRun(variant, comparison, clock))
  const baseline = lanes[0]
  for (const lane of [...lanes]) await lane.warmUp(effort).catch((error: unknown) => fail(lane, error))
  const deadline = clock() + (effort.budgetMs ?? Number.POSITIVE_INFINITY) * 1e6
  for (let round = 0; round < effort.rounds && (round < MIN_ROUNDS || clock() < deadline); round += 1)
    for (const lane of orderOf(lanes, round)) await lane.sample().catch((error: unknown) => fail(lane, error))
  if (baseline === undefined || !lanes.includes(baseline)) return { results: [], skipped }
  return { results: lanes.map((lane) => resultOf(lane, baseline)), skipped }
}

/** Rotates the items by round, and reverses them every second round. */
export function orderOf<T>(items: readonly T[], round: number): T[] {
  const start = items.length === 0 ? 0 : Math.floor(round / 2) % items.length
  const rotated = [...items.slice(start), ...items.slice(0, start)]
  return round % 2 === 0 ? rotated : rotated.reverse()
}

function resultOf(lane: VariantRun, baseline: VariantRun): Result {
  const { name } = lane.variant
  const summary = summarize(lane.samples)
  return lane === baseline ? { name, ...summary } : { name, ...summary, ratio: ratioOf(lane.samples, baseline.samples) }
}

/** The samples of a variant. */
class VariantRun {
  readonly samples: number[] = []
  #turn = 0
  #batch = 1

  constructor(
    readonly variant: Variant,
    private readonly comparison: Comparison,
    private readonly clock: Clock,
  ) {}

  /** Runs the warm-up, and determines the number of runs per sample. */
  async warmUp({ warmUpMs, sampleMs }: Effort): Promise<void> {
    if (this.variant.before !== undefined) {
      await this.#timeBatch()
      return
    }
    const maxBatch = Math.min(this.comparison.maxBatch ?? MAX_BATCH, MAX_BATCH)
    const maxTurns = this.comparison.maxWarmUp ?? Number.POSITIVE_INFINITY
    for (let spent = 0; spent < warmUpMs * 1e6 && this.#turn < maxTurns; ) {
      const took = await this.#timeBatch()
      spent += Math.max(took, 1)
      const fitting = Math.floor((sampleMs * 1e6 * this.#batch) / Math.max(took, 1))
      // Increase step by step, because the first runs are not optimized yet.
      this.#batch = Math.max(1, Math.min(fitting, this.#batch * 2, maxBatch))
    }
  }

  async sample(): Promise<void> {
    const took = await this.#timeBatch()
    this.samples.push(took / this.#batch / (this.comparison.opsPerRun ?? 1))
  }

  /** Runs one batch. Resolves to its duration in nanoseconds. */
  async #timeBatch(): Promise<number> {
    await this.variant.before?.()
    const begin = this.#turn
    const end = begin + this.#batch
    this.#turn = end
    const started = this.clock()
    if (this.comparison.mode === 'sync') runAll(this.variant, begin, end)
    else await awaitAll(this.variant, begin, end)
    return this.clock() - started
  }
}

function runAll(variant: Variant, begin: number, end: number): void {
  for (let iteration = begin; iteration < end; iteration += 1) sink.last = variant.run(iteration)
}

async function awaitAll(variant: Variant, begin: number, end: number): Promise<void> {
  for (let iteration = begin; iteration < end; iteration += 1) sink.last = await variant.run(iteration)
}
