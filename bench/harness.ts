import { type Ratio, ratioOf, type Summary, summarize } from './stats.js'

/** Runs variants of one operation against each other, interleaved in one process. */

/** One side of a comparison. */
export interface Variant {
  /** With its version, as a reader of the table knows it. */
  readonly name: string
  /** One operation, or `opsPerRun` of them. @param turn counts this variant's runs, warm-up included. */
  run(turn: number): unknown
  /** Not timed. With it every sample is a single run, made after this. */
  readonly before?: () => unknown
}

export interface Comparison {
  /** The first is the baseline of the ratios. */
  readonly variants: readonly Variant[]
  /** `async`: each run is awaited before the next begins. */
  readonly mode: 'sync' | 'async'
  readonly opsPerRun?: number
  /** At most this many runs a sample: for operations that leave something behind. */
  readonly maxBatch?: number
  /** And at most this many runs of warm-up. */
  readonly maxWarmUp?: number
}

export interface Effort {
  /** Samples of each variant. */
  readonly rounds: number
  /** How long a sample should take, milliseconds. */
  readonly sampleMs: number
  /** How long each variant runs before anything counts, milliseconds. */
  readonly warmUpMs: number
  /** A comparison that has taken this long ends after a few rounds, milliseconds. */
  readonly budgetMs?: number
}

export interface Result extends Summary {
  readonly name: string
  /** To the baseline; the baseline itself has none. */
  readonly ratio?: Ratio
}

/** Something that was to be measured and was not. */
export interface Skipped {
  readonly name: string
  readonly reason: string
}

export interface Outcome {
  /** Nanoseconds an operation; the baseline first. */
  readonly results: readonly Result[]
  /** Variants that failed, with what they said. */
  readonly skipped: readonly Skipped[]
}

/** @returns nanoseconds. */
export type Clock = () => number

const clockOfHost: Clock = () => Number(process.hrtime.bigint())
const MAX_BATCH = 1 << 16
/** Fewer samples than this say nothing, however slow they are. */
const FEWEST_ROUNDS = 3

/** What a run gave; kept where the optimizer cannot prove it unused. */
const sink: { last: unknown } = { last: undefined }

/**
 * Measures. Each round takes one sample of every variant; the order changes with the round, so that none always runs
 * after the same other. A variant that throws is left out, by name; so is everything if the baseline throws.
 */
export async function compare(comparison: Comparison, effort: Effort, clock: Clock = clockOfHost): Promise<Outcome> {
  const skipped: Skipped[] = []
  const lanes: Lane[] = []
  const fail = (lane: Lane, error: unknown) => {
    lanes.splice(lanes.indexOf(lane), 1)
    skipped.push({ name: lane.variant.name, reason: error instanceof Error ? error.message : String(error) })
  }
  for (const variant of comparison.variants) lanes.push(new Lane(variant, comparison, clock))
  const baseline = lanes[0]
  for (const lane of [...lanes]) await lane.warmUp(effort).catch((error: unknown) => fail(lane, error))
  const ends = clock() + (effort.budgetMs ?? Number.POSITIVE_INFINITY) * 1e6
  for (let round = 0; round < effort.rounds && (round < FEWEST_ROUNDS || clock() < ends); round += 1)
    for (const lane of orderOf(lanes, round)) await lane.sample().catch((error: unknown) => fail(lane, error))
  if (baseline === undefined || !lanes.includes(baseline)) return { results: [], skipped }
  return { results: lanes.map((lane) => resultOf(lane, baseline)), skipped }
}

/** Rotated by one each round, every second time backwards. */
export function orderOf<T>(items: readonly T[], round: number): T[] {
  const start = items.length === 0 ? 0 : Math.floor(round / 2) % items.length
  const rotated = [...items.slice(start), ...items.slice(0, start)]
  return round % 2 === 0 ? rotated : rotated.reverse()
}

function resultOf(lane: Lane, baseline: Lane): Result {
  const { name } = lane.variant
  const summary = summarize(lane.samples)
  return lane === baseline ? { name, ...summary } : { name, ...summary, ratio: ratioOf(lane.samples, baseline.samples) }
}

/** A variant under way. */
class Lane {
  readonly samples: number[] = []
  #turn = 0
  #batch = 1

  constructor(
    readonly variant: Variant,
    private readonly comparison: Comparison,
    private readonly clock: Clock,
  ) {}

  /** Runs until the time is up, and learns how many runs make a sample. */
  async warmUp({ warmUpMs, sampleMs }: Effort): Promise<void> {
    if (this.variant.before !== undefined) {
      await this.#timed()
      return
    }
    const most = Math.min(this.comparison.maxBatch ?? MAX_BATCH, MAX_BATCH)
    const enough = this.comparison.maxWarmUp ?? Number.POSITIVE_INFINITY
    for (let spent = 0; spent < warmUpMs * 1e6 && this.#turn < enough; ) {
      const took = await this.#timed()
      spent += Math.max(took, 1)
      const fitting = Math.floor((sampleMs * 1e6 * this.#batch) / Math.max(took, 1))
      // Step by step: the first runs are not optimized yet and say little about the later ones.
      this.#batch = Math.max(1, Math.min(fitting, this.#batch * 2, most))
    }
  }

  async sample(): Promise<void> {
    const took = await this.#timed()
    this.samples.push(took / this.#batch / (this.comparison.opsPerRun ?? 1))
  }

  /** One batch, in nanoseconds. */
  async #timed(): Promise<number> {
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
  for (let turn = begin; turn < end; turn += 1) sink.last = variant.run(turn)
}

async function awaitAll(variant: Variant, begin: number, end: number): Promise<void> {
  for (let turn = begin; turn < end; turn += 1) sink.last = await variant.run(turn)
}
