import { describe, expect, it } from 'vitest'
import { comparison } from '../../bench/core/compare-commits.js'
import { bestOf, findRegressions, findUnrecorded, MARGIN } from '../../bench/core/decide.js'
import { compare, type Variant } from '../../bench/harness.js'

/** Tests the guard's decision on given samples, without measuring time. */

const RECORDED = { reads: 1.2, writes: 3 }

describe('a regression', () => {
  it('is none if one run is within the margin, because load only makes runs slower', () => {
    expect(findRegressions(RECORDED, [{ reads: 1.2, writes: 3 }])).toEqual([])
    expect(findRegressions(RECORDED, [{ reads: 1.2 * MARGIN, writes: 3 * MARGIN }])).toEqual([])
    expect(findRegressions(RECORDED, [{ reads: 9, writes: 30 }, { reads: 8, writes: 4 }, { reads: 2 }])).toEqual([])
  })

  it('is reported with the lowest ratio of all runs', () => {
    expect(bestOf([{ reads: 9, writes: 3 }, { reads: 3.1 }, { reads: 7 }])).toEqual({ reads: 3.1, writes: 3 })
    expect(bestOf([])).toEqual({})
  })

  it('is a row beyond the margin in every run', () => {
    expect(findRegressions(RECORDED, [{ reads: 9, writes: 3 }, { reads: 3.1 }, { reads: 7 }])).toEqual([
      { title: 'reads', recorded: 1.2, best: 3.1 },
    ])
  })

  it('is a row that could not be measured', () => {
    expect(findRegressions(RECORDED, [{ reads: 1 }])).toEqual([{ title: 'writes', recorded: 3, best: undefined }])
    expect(findRegressions(RECORDED, [])).toHaveLength(2)
  })

  it('cannot be found without a record, so unrecorded rows are listed', () => {
    expect(findUnrecorded(RECORDED, [{ reads: 1, renames: 2 }, { renames: 3 }])).toEqual(['renames'])
    expect(findUnrecorded(RECORDED, [{ reads: 1 }])).toEqual([])
  })

  it('is found if our call is three times as slow, and not if the whole machine is', async () => {
    const ratioWhen = async (ours: number, machine: number) => {
      let now = 0
      const variant = (name: string, cost: number): Variant => ({ name, run: () => (now += cost * machine) })
      const variants = [variant('node:fs', 1_000), variant('ours', 1_200 * ours)]
      const effort = { rounds: 8, sampleMs: 1, warmUpMs: 2 }
      const { results } = await compare({ variants, mode: 'sync' }, effort, () => now)
      return results[1]?.ratio?.median ?? Number.NaN
    }
    const recorded = { reads: 1.2 }
    expect(findRegressions(recorded, [{ reads: await ratioWhen(1, 10) }])).toEqual([])
    expect(findRegressions(recorded, [{ reads: await ratioWhen(3, 1) }])).toMatchObject([{ title: 'reads' }])
    expect(findRegressions(recorded, [{ reads: await ratioWhen(3, 10) }])).toMatchObject([{ title: 'reads' }])
  })
})

describe('two commits', () => {
  it('differ only if no run of one is within the range of the other', () => {
    const before = [
      { reads: 1, writes: 2, opens: 5 },
      { reads: 1.2, writes: 2.2, opens: 6 },
    ]
    const after = [
      { reads: 1.1, writes: 4.2, opens: 2 },
      { reads: 1.3, writes: 4.2, opens: 2 },
    ]
    expect(comparison([before, after])).toEqual([
      'reads: 1.10× to 1.20× of its baseline, 1.09× of before',
      'writes: 2.10× to 4.20× of its baseline, 2.00× of before, more',
      'opens: 5.50× to 2.00× of its baseline, 0.36× of before, less',
    ])
  })

  it('list rows that only one of them has', () => {
    expect(comparison([[{ reads: 1 }], [{ writes: 1 }]])).toEqual([
      'reads: only one of the two has it',
      'writes: only one of the two has it',
    ])
  })
})
