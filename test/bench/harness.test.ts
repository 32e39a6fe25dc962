import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compare, orderOf, type Variant } from '../../bench/harness.js'
import { growthExponent, quantile, ratioOf, summarize } from '../../bench/stats.js'

/** A fake clock that only the variants advance. */
function setUpBench() {
  let now = 0
  const ran: string[] = []
  const variant = (name: string, cost: (round: number) => number): Variant => ({
    name,
    run(round) {
      ran.push(name)
      now += cost(round)
    },
  })
  return { clock: () => now, ran, variant, pass: (time: number) => (now += time) }
}

const EFFORT = { rounds: 8, sampleMs: 1, warmUpMs: 2 }

describe('quantile', () => {
  it('interpolates between neighbours, for samples in any order', () => {
    expect(quantile([40, 10, 30, 20], 0.5)).toBe(25)
    expect(quantile([40, 10, 30, 20], 0)).toBe(10)
    expect(quantile([40, 10, 30, 20], 1)).toBe(40)
    expect(quantile([1, 2, 3, 4, 5], 0.9)).toBeCloseTo(4.6)
    expect(quantile([7], 0.25)).toBe(7)
  })

  it('does not change its samples', () => {
    const samples = [3, 1, 2]
    summarize(samples)
    expect(samples).toEqual([3, 1, 2])
  })

  it('refuses no samples and invalid shares', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError)
    expect(() => quantile([1], 1.5)).toThrow(RangeError)
    expect(() => quantile([1], Number.NaN)).toThrow(RangeError)
  })

  it('increases with the share within the range of the samples', () => {
    const samples = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 1 })
    fc.assert(
      fc.property(samples, (values) => {
        const { p25, median, p90 } = summarize(values)
        expect(p25).toBeLessThanOrEqual(median)
        expect(median).toBeLessThanOrEqual(p90)
        expect(p25).toBeGreaterThanOrEqual(Math.min(...values))
        expect(p90).toBeLessThanOrEqual(Math.max(...values))
      }),
    )
  })
})

describe('ratioOf', () => {
  it('pairs by round: a slow machine slows both sides', () => {
    const baseline = [10, 10, 1000, 10]
    expect(ratioOf([20, 20, 2000, 20], baseline)).toEqual({ low: 2, median: 2, high: 2 })
  })

  it('reports the spread of the pairs', () => {
    expect(ratioOf([1, 2, 3, 4, 5], [1, 1, 1, 1, 1])).toEqual({ low: 2, median: 3, high: 4 })
  })

  it('refuses samples without a pair', () => {
    expect(() => ratioOf([1, 2], [1])).toThrow('pair')
  })
})

describe('growthExponent', () => {
  const sizes = [1_000, 10_000, 100_000]

  it('finds the exponent of generated costs', () => {
    fc.assert(
      fc.property(fc.double({ min: -1, max: 3, noNaN: true }), fc.double({ min: 1, max: 1e6, noNaN: true }), (e, c) => {
        const found = growthExponent(sizes.map((size) => ({ size, cost: c * size ** e })))
        expect(found).toBeCloseTo(e, 6)
      }),
    )
  })

  it('refuses a single size, and values without a logarithm', () => {
    expect(() => growthExponent([{ size: 10, cost: 1 }])).toThrow('two different sizes')
    expect(() => growthExponent([])).toThrow(RangeError)
    expect(() => growthExponent(sizes.map((size) => ({ size, cost: 0 })))).toThrow('positive')
    expect(() => growthExponent([{ size: 0, cost: 1 }])).toThrow('positive')
  })
})

describe('orderOf', () => {
  it('puts each first equally often, and after more than one other', () => {
    const items = ['a', 'b', 'c']
    const orders = Array.from({ length: 6 }, (_, round) => orderOf(items, round))
    const firsts = orders.map(([first]) => first).sort()
    expect(firsts).toEqual(['a', 'a', 'b', 'b', 'c', 'c'])
    const before = new Set(orders.map((order) => order[order.indexOf('b') - 1]).filter(Boolean))
    expect(before).toEqual(new Set(['a', 'c']))
    for (const order of orders) expect(order.toSorted()).toEqual(items)
  })

  it('returns nothing for nothing', () => {
    expect(orderOf([], 3)).toEqual([])
  })
})

describe('compare', () => {
  it('returns the cost of one operation and its ratio to the first variant', async () => {
    const { clock, variant } = setUpBench()
    const variants = [variant('raw', () => 1_000), variant('ours', () => 2_500)]
    const { results, skipped } = await compare({ variants, mode: 'sync' }, EFFORT, clock)
    expect(skipped).toEqual([])
    expect(results[0]).toEqual({ name: 'raw', p25: 1_000, median: 1_000, p90: 1_000 })
    expect(results[1]).toMatchObject({ name: 'ours', median: 2_500, ratio: { low: 2.5, median: 2.5, high: 2.5 } })
  })

  it('does not count the warm-up', async () => {
    const { clock, variant } = setUpBench()
    const cold = variant('raw', (round) => (round === 0 ? 1e6 : 1_000))
    const { results } = await compare({ variants: [cold], mode: 'sync' }, EFFORT, clock)
    expect(results[0]?.p90).toBe(1_000)
  })

  it('fills a sample with runs up to its time and the maximum', async () => {
    for (const [maxBatch, wanted] of [
      [undefined, 1_000],
      [10, 10],
    ] as const) {
      const { clock, ran, variant } = setUpBench()
      const effort = { rounds: 1, sampleMs: 1, warmUpMs: 50 }
      const batch = maxBatch === undefined ? {} : { maxBatch }
      const limited = await compare({ variants: [variant('raw', () => 1_000)], mode: 'sync', ...batch }, effort, clock)
      const warmUp = ran.length
      expect(limited.results[0]?.median).toBe(1_000)
      const again = setUpBench()
      const two = { rounds: 2, sampleMs: 1, warmUpMs: 50 }
      await compare({ variants: [again.variant('raw', () => 1_000)], mode: 'sync', ...batch }, two, again.clock)
      expect(again.ran.length - warmUp).toBe(wanted)
    }
  })

  it('warms up at most the maximum', async () => {
    const { clock, ran, variant } = setUpBench()
    const few = { variants: [variant('raw', () => 10)], mode: 'sync' as const, maxBatch: 5, maxWarmUp: 20 }
    await compare(few, { rounds: 1, sampleMs: 1, warmUpMs: 1_000 }, clock)
    expect(ran.length).toBeLessThanOrEqual(20 + 2 * 5)
  })

  it('divides by the operations of a run', async () => {
    const { clock, variant } = setUpBench()
    const crowd = { variants: [variant('raw', () => 5_000)], mode: 'async' as const, opsPerRun: 50 }
    expect((await compare(crowd, EFFORT, clock)).results[0]?.median).toBe(100)
  })

  it('awaits promises only in async mode', async () => {
    const { clock, pass } = setUpBench()
    const slow: Variant = { name: 'raw', run: () => Promise.resolve().then(() => pass(700)) }
    const { results } = await compare({ variants: [slow], mode: 'async' }, EFFORT, clock)
    expect(results[0]?.median).toBe(700)
  })

  it('prepares before each sample without timing it', async () => {
    const { clock, variant, pass } = setUpBench()
    let prepared = 0
    const before = () => {
      prepared += 1
      pass(1e9)
    }
    const { results } = await compare(
      { variants: [{ ...variant('raw', () => 3), before }], mode: 'async' },
      EFFORT,
      clock,
    )
    expect(results[0]?.p90).toBe(3)
    expect(prepared).toBe(EFFORT.rounds + 1)
  })

  it('ends a comparison that takes too long after a few rounds', async () => {
    const { clock, ran, variant } = setUpBench()
    const slow = { ...variant('raw', () => 1e9), before: () => undefined }
    const effort = { rounds: 100, sampleMs: 0, warmUpMs: 0, budgetMs: 1 }
    expect((await compare({ variants: [slow], mode: 'sync' }, effort, clock)).results[0]?.median).toBe(1e9)
    expect(ran.length).toBe(1 + 3)
  })

  it('skips a failing variant by name, early or late, and keeps the rest', async () => {
    const { clock, variant } = setUpBench()
    const early = { name: 'early', run: () => Promise.reject(new Error('no such op')) }
    const late = variant('late', (round) => {
      if (round > 3_000) throw new Error('worn out')
      return 1_000
    })
    const variants = [variant('raw', () => 1_000), early, late]
    const { results, skipped } = await compare({ variants, mode: 'async' }, { ...EFFORT, warmUpMs: 1 }, clock)
    expect(results.map(({ name }) => name)).toEqual(['raw'])
    expect(skipped).toEqual([
      { name: 'early', reason: 'no such op' },
      { name: 'late', reason: 'worn out' },
    ])
  })

  it('has no results without its baseline', async () => {
    const { clock, variant } = setUpBench()
    const broken = { name: 'raw', run: () => Promise.reject(new Error('gone')) }
    const outcome = await compare({ variants: [broken, variant('ours', () => 1_000)], mode: 'async' }, EFFORT, clock)
    expect(outcome).toEqual({ results: [], skipped: [{ name: 'raw', reason: 'gone' }] })
  })
})
