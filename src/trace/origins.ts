import { weightOf } from './line-prints.js'

/** Where lines that came into a file stood before: a move or a copy is a run of them that weighs enough. */

/** Who wrote a line, as a record tells it. */
export interface Origin {
  readonly contributor: 'ai' | 'human' | 'unknown'
  readonly recordId?: string
  readonly intentId?: string
  readonly sessionId?: string
  readonly model?: string
  readonly tool?: string
  readonly approvedBy?: string
  readonly mutationClass?: string
  /** Nothing on this machine anchors the record. */
  readonly unanchored?: true
}

/** A line as the replay knows it. */
export interface Cell {
  readonly print: string
  readonly origin: Origin
}

/** Lines that stand, or stood, one after the other. */
export interface Strand {
  readonly cells: readonly Cell[]
  /** What a run has to weigh to count as taken from here. */
  readonly least: number
}

/**
 * Letters and digits that lines have in common before they count as moved or copied: within a file, and from another.
 * They are git's own (git-blame(1), -M and -C).
 */
export const WEIGHT_WITHIN = 20
export const WEIGHT_ACROSS = 40

/** Lines compared before a search ends: hostile files repeat one line. What is found by then stands. */
const BUDGET = 20_000_000
const STRANDS = 16

/**
 * For lines that came (those `isOpen`) the cells they were taken from: the heaviest run of lines that stands in some
 * strand just so. The first of equally heavy ones counts.
 * @param strandsOf where a line of that print stands; the likeliest first.
 */
export function adoptLines(
  prints: readonly string[],
  isOpen: (line: number) => boolean,
  strandsOf: (print: string) => Iterable<Strand>,
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
      for (const at of placesIn(strand.cells, print)) {
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

function* placesIn(cells: readonly Cell[], print: string): Generator<number> {
  for (let at = 0; at < cells.length; at++) if (cells[at]?.print === print) yield at
}

interface Run {
  readonly cells: readonly Cell[]
  readonly first: number
  readonly last: number
  /** From a place in the strand to the line there. */
  readonly shift: number
  readonly weight: number
}

interface Meeting {
  readonly prints: readonly string[]
  readonly line: number
  readonly cells: readonly Cell[]
  readonly at: number
  readonly isFree: (line: number) => boolean
}

/** The run of equal lines around a place where one is equal. */
function runAt({ prints, line, cells, at, isFree }: Meeting): Run {
  const shift = line - at
  const fits = (place: number) => isFree(place) && cells[place - shift]?.print === prints[place]
  let [first, last] = [line, line]
  while (fits(first - 1)) first--
  while (fits(last + 1)) last++
  let weight = 0
  for (let place = first; place <= last; place++) weight += weightOf(prints[place] ?? '')
  return { cells, first, last, shift, weight }
}
