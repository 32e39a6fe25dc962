import { contentOf, namesOf } from '../places.js'

/**
 * The calls of an agent's run. More than half check whether a file exists: a published count of recorded tool calls has
 * 57 % lstat, 15 % stat and 13 % creations. We chose the rest: reads, listings, edits, removals of created files.
 */

export const CALLS = 2_000
const BYTES = 4_096
export const PER_DIR = 100

const SHARES = { lstat: 57, stat: 15, create: 13, readFile: 8, readdir: 4, edit: 2, unlink: 1 } as const
export type Op = keyof typeof SHARES

export interface Call {
  readonly op: Op
  /** Relative to the root. */
  readonly path: string
}

/** The calls of a run, the same for every participant. Each run creates its files in a separate directory. */
export function callsOf(files: number, run: number): Call[] {
  const next = numbers(1)
  const tree = namesOf('src', files, PER_DIR)
  const created: string[] = []
  const ops = opsOf(next)
  return ops.map((op) => {
    const known = tree[next() % tree.length] ?? ''
    if (op === 'create') {
      const path = `${runDir(run)}/f${created.length}.ts`
      created.push(path)
      return { op, path }
    }
    if (op === 'unlink') return { op, path: created.pop() ?? known }
    return { op, path: op === 'readdir' ? known.slice(0, known.lastIndexOf('/')) : known }
  })
}

/** The directory for the files of a run. */
export function runDir(run: number): string {
  return `made/run-${run}`
}

/** The ops in random order, with removals last, when there is something to remove. */
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
