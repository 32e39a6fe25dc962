/** The statistics of a benchmark: quantiles, ratios of pairs, growth. */

export interface Summary {
  readonly p25: number
  readonly median: number
  readonly p90: number
}

/** A ratio and its spread: the middle half of the pairs lies between `low` and `high`. */
export interface Ratio {
  readonly low: number
  readonly median: number
  readonly high: number
}

/**
 * The value below which a share of the samples lies, interpolated between neighbours.
 * @throws RangeError without samples, or for a share outside 0…1
 */
export function quantile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new RangeError('There are no samples.')
  if (!(share >= 0 && share <= 1)) throw new RangeError(`${share} is not a share from 0 to 1.`)
  const sorted = samples.toSorted((a, b) => a - b)
  const place = share * (sorted.length - 1)
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

export function summarize(samples: readonly number[]): Summary {
  return { p25: quantile(samples, 0.25), median: quantile(samples, 0.5), p90: quantile(samples, 0.9) }
}

/**
 * The ratio of the samples to the baseline's. Samples are paired by round, so that a machine that is slow for a
 * while is slow for both sides of a pair.
 * @throws RangeError unless both have one sample per round
 */
export function ratioOf(samples: readonly number[], baseline: readonly number[]): Ratio {
  if (samples.length !== baseline.length) throw new RangeError('A pair needs a sample of each side.')
  const ratios = samples.map((sample, round) => sample / (baseline[round] ?? Number.NaN))
  return { low: quantile(ratios, 0.25), median: quantile(ratios, 0.5), high: quantile(ratios, 0.75) }
}

export interface Point {
  readonly size: number
  readonly cost: number
}

/**
 * The exponent e of `cost ~ size^e`, fitted by least squares over the logarithms: 0 is flat, 1 grows with the size.
 * @throws RangeError for fewer than two different sizes, or a value that is not positive
 */
export function growthExponent(points: readonly Point[]): number {
  if (points.some(({ size, cost }) => !(size > 0 && cost > 0))) throw new RangeError('Sizes and costs are positive.')
  const xs = points.map(({ size }) => Math.log(size))
  const ys = points.map(({ cost }) => Math.log(cost))
  const [meanX, meanY] = [mean(xs), mean(ys)]
  const width = mean(xs.map((x) => (x - meanX) ** 2))
  if (!(width > 0)) throw new RangeError('Growth needs two different sizes.')
  return mean(xs.map((x, i) => (x - meanX) * ((ys[i] ?? Number.NaN) - meanY))) / width
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
