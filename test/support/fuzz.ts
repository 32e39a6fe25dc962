import type fc from 'fast-check'

/**
 * The seed of every property in `npm test`: its result depends on the code alone. `npm run fuzz` and `npm run soak` try
 * other seeds.
 */
const SEED = 20_261_125

/** The seed of every property of this process. */
export function fuzzSeed(): number {
  return Number(process.env.ESCROWFS_FUZZ_SEED ?? SEED)
}

/** The number of random sequences of a suite: `few` in `npm test`, the requested number in `npm run fuzz`. */
export function fuzzParameters(few: number): fc.Parameters<unknown> {
  return { numRuns: Number(process.env.ESCROWFS_FUZZ_RUNS ?? few) }
}

/** True in `npm run fuzz`, where time does not matter. */
export function isFuzzing(): boolean {
  return process.env.ESCROWFS_FUZZ_RUNS !== undefined
}
