import type fc from 'fast-check'

/** How many random sequences a suite tries: a few in `npm test`, as many as asked for in `npm run fuzz`. */
export function fuzzParameters(few: number): fc.Parameters<unknown> {
  const { ESCROWFS_FUZZ_RUNS: runs, ESCROWFS_FUZZ_SEED: seed } = process.env
  return { numRuns: Number(runs ?? few), ...(seed !== undefined && { seed: Number(seed) }) }
}

/** Whether this is `npm run fuzz`, where time is no matter. */
export function isFuzzing(): boolean {
  return process.env.ESCROWFS_FUZZ_RUNS !== undefined
}
