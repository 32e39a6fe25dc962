import { contentOf, namesOf } from '../places.js'

/**
 * The calls of an agent's run. More than half look whether a file is there: a published count of recorded tool calls has
 * 57 % lstat, 15 % stat and 13 % creations. The rest is set here: reads, listings, edits, removals of what was made.
 */

export const CALLS = 2_000
export const BYTES = 4_096
export const PER_DIR = 100

const SHARES = { lstat: 57, stat: 15, create: 13, readFile: 8, readdir: 4, edit: 2, unlink: 1 } as const
export type Op = keyof typeof SHARES

export interface Call {
  readonly op: Op
  /** Below the root. */
  readonly path: string
}

/** The same calls for everyone who takes part; another run makes its files in another directory. */
export function callsOf(files: number, run: number): Call[] {
  const next = numbers(1)
  const tree = namesOf('src', files, PER_DIR)
  const made: string[] = []
  const ops = opsOf(next)
  return ops.map((op) => {
    const known = tree[next() % tree.length] ?? ''
    if (op === 'create') {
      const path = `${madeDir(run)}/f${made.length}.ts`
      made.push(path)
      return { op, path }
    }
    if (op === 'unlink') return { op, path: made.pop() ?? known }
    return { op, path: op === 'readdir' ? known.slice(0, known.lastIndexOf('/')) : known }
  })
}

/** Where a run makes its files. */
export function madeDir(run: number): string {
  return `made/run-${run}`
}

/** Shuffled, but no removal comes before there is something to remove. */
function opsOf(next: () => number): Op[] {
  const all = (Object.keys(SHARES) as Op[]).flatMap((op) => Array<Op>((CALLS * SHARES[op]) / 100).fill(op))
  for (let n = all.length - 1; n > 0; n -= 1) {
    const other = next() % (n + 1)
    const [here, there] = [all[n], all[other]]
    if (here !== undefined && there !== undefined) [all[n], all[other]] = [there, here]
  }
  const removals = all.filter((op) => op === 'unlink')
  return [...all.filter((op) => op !== 'unlink'), ...removals]
}

/** A linear congruential generator: the same numbers on every machine. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}

export const CONTENT = contentOf(BYTES)
