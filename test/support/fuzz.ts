import type fc from 'fast-check'

/** The number of random sequences of a suite: `few` in `npm test`, the requested number in `npm run fuzz`. */
export function fuzzParameters(few: number): fc.Parameters<unknown> {
  const { ESCROWFS_FUZZ_RUNS: runs, ESCROWFS_FUZZ_SEED: seed } = process.env
  return { numRuns: Number(runs ?? few), ...(seed !== undefined && { seed: Number(seed) }) }
}

/** True in `npm run fuzz`, where time does not matter. */
export function isFuzzing(): boolean {
  return process.env.ESCROWFS_FUZZ_RUNS !== undefined
}
