import { weightOf } from './line-prints.js'
import { StrandSearch } from './strand-search.js'

/** Finds the old place of lines that were added to a file. A run of them with enough weight is a move or a copy. */

/** The author of a line, from a record. */
export interface Origin {
  readonly contributor: 'ai' | 'human' | 'unknown'
  readonly recordId?: string
  readonly intentId?: string
  readonly sessionId?: string
  readonly model?: string
  readonly tool?: string
  readonly approvedBy?: string
  readonly mutationClass?: string
  /** For `unknown`: what is missing, as a clause. */
  readonly why?: string
  /** A git note names the author, and no record does. */
  readonly imported?: true
  /** The ledger has lost the record: it was read from a version of the ledger in git. */
  readonly fromGit?: true
  /** No anchor on this machine vouches for the record. */
  readonly unanchored?: true
}

/** A line in the replay. */
export interface Cell {
  readonly print: string
  readonly origin: Origin
}

/** Consecutive lines, of a file or of a removed part. */
export interface Strand {
  readonly cells: readonly Cell[]
  /** The least weight of a run that counts as taken from here. */
  readonly least: number
}

/**
 * The least number of letters and digits in a run that counts as moved or copied: within a file, and from another file.
 * Both are git's own limits (git-blame(1), -M and -C).
 */
export const WEIGHT_WITHIN = 20
export const WEIGHT_ACROSS = 40

/** The limit of compared lines in one search: a hostile file may repeat one line. The matches found by then count. */
const BUDGET = 20_000_000
const STRANDS = 16

/**
 * Finds the cells that new lines (those `isOpen`) were taken from: the heaviest run of lines that also occurs in a
 * strand. The first of equally heavy runs counts.
 * @param strandsOf the strands with a line of that print, the likeliest first
 */
export function adoptLines(
  prints: readonly string[],
  isOpen: (line: number) => boolean,
  strandsOf: (print: string) => Iterable<Strand>,
  search = new StrandSearch(),
): Map<number, Cell> {
  const adopted = new Map<number, Cell>()
  const isFree = (line: number) => line >= 0 && line < prints.length && isOpen(line) && !adopted.has(line)
  let budget = BUDGET
  for (let line = 0; line < prints.length && budget > 0; line++) {
    const print = prints[line]
    if (print === undefined || !isFree(line) || weightOf(print) === 0) continue
    let best: Run | undefined
    let strands = 0
    for (const strand of strandsOf(print)) {
      if (++strands > STRANDS || budget <= 0) break
      budget -= strand.cells.length
      for (const at of search.places(strand.cells, print)) {
        const run = runAt({ prints, line, cells: strand.cells, at, isFree })
        budget -= run.last - run.first
        if (run.weight >= strand.least && run.weight > (best?.weight ?? 0)) best = run
        if (budget <= 0) break
      }
    }
    for (let taken = best?.first ?? 0; best !== undefined && taken <= best.last; taken++) {
      const cell = best.cells[taken - best.shift]
      if (cell !== undefined) adopted.set(taken, cell)
    }
  }
  return adopted
}

interface Run {
  readonly cells: readonly Cell[]
  readonly first: number
  readonly last: number
  /** The line is the position in the strand plus this. */
  readonly shift: number
  readonly weight: number
}

interface Match {
  readonly prints: readonly string[]
  readonly line: number
  readonly cells: readonly Cell[]
  readonly at: number
  readonly isFree: (line: number) => boolean
}

/** The run of equal lines around one equal line. */
function runAt({ prints, line, cells, at, isFree }: Match): Run {
  const shift = line - at
  const fits = (place: number) => isFree(place) && cells[place - shift]?.print === prints[place]
  let [first, last] = [line, line]
  while (fits(first - 1)) first--
  while (fits(last + 1)) last++
  let weight = 0
  for (let place = first; place <= last; place++) weight += weightOf(prints[place] ?? '')
  return { cells, first, last, shift, weight }
}
