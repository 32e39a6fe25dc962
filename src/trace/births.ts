import { weightOf } from './line-prints.js'
import { type Cell, type Origin, WEIGHT_WITHIN } from './origins.js'

/**
 * An index of the lines that records wrote, each with the lines around it. It finds a line by its print and its
 * neighbors, also after git has moved the line to another commit, branch or file.
 */

interface Birth {
  readonly origin: Origin
  /** The prints around it, the nearest first. */
  readonly above: readonly string[]
  readonly below: readonly string[]
}

/** How many lines above and below are compared. */
const REACH = 3
/** How many births of one print are kept. A line with more is too common. */
const MOST = 64
/** The weight of a line that is found again without its neighbors, if only one author ever wrote it. */
const ALONE = WEIGHT_WITHIN

/** The author of a line, or `ambiguous` if several authors wrote such a line. */
export type Found = Origin | 'ambiguous' | undefined

export class Births {
  readonly #by = new Map<string, Birth[]>()

  /** @param wanted the prints that a caller will ask about */
  constructor(private readonly wanted: Pick<ReadonlySet<string>, 'has'>) {}

  /** Notes lines that a record wrote, by their place among the file's lines after it. */
  note(cells: readonly Cell[], written: Iterable<number>): void {
    const printAt = (line: number) => cells[line]?.print
    for (const line of written) {
      const cell = cells[line]
      if (cell === undefined || isWeak(cell.origin) || !this.wanted.has(cell.print)) continue
      const births = this.#by.get(cell.print)
      const birth = { origin: cell.origin, ...around(line, printAt) }
      if (births === undefined) this.#by.set(cell.print, [birth])
      else if (births.length < MOST) births.push(birth)
    }
  }

  /** As {@link find}, without the reason. Undefined if several authors are possible. */
  authorAt(prints: readonly string[], line: number): Origin | undefined {
    const found = this.find(prints, line)
    return found === 'ambiguous' ? undefined : found
  }

  /** Finds the author of a line that a formatter changed, by the forms that it may have had before. */
  findForm(prints: readonly string[]): Found {
    const origins = this.originsOf(prints)
    const [first] = origins
    if (first === undefined) return undefined
    const isSure = prints.some((print) => weightOf(print) >= ALONE && this.#by.has(print))
    return isSure && origins.every((origin) => sameAuthor(origin, first)) ? first : 'ambiguous'
  }

  /** The records that wrote a line with one of these prints. */
  originsOf(prints: readonly string[]): Origin[] {
    return prints.flatMap((print) => this.#by.get(print) ?? []).map(({ origin }) => origin)
  }

  /** Finds the author of a line in a content by its print and its neighbors. */
  find(prints: readonly string[], line: number): Found {
    const births = this.#by.get(prints[line] ?? '')
    if (births === undefined) return undefined
    const here = around(line, (at) => prints[at])
    const weight = weightOf(prints[line] ?? '')
    // A bracket or an empty line belongs to the lines above it: the lines below may have any author.
    const below = (birth: Birth) => (weight === 0 ? 0 : alike(birth.below, here.below))
    const scored = births.map((birth) => ({ birth, score: alike(birth.above, here.above) + below(birth) }))
    const best = Math.max(...scored.map(({ score }) => score))
    if (best === 0 && weight < ALONE) return 'ambiguous'
    const origins = scored.flatMap(({ birth, score }) => (score === best ? [birth.origin] : []))
    const [first] = origins
    return first !== undefined && origins.every((origin) => sameAuthor(origin, first)) ? origins.at(-1) : 'ambiguous'
  }
}

/** Whether an origin only says that no record explains the line: unknown, or a person outside escrowfs. */
export function isWeak({ contributor, sessionId, approvedBy }: Origin): boolean {
  return contributor === 'unknown' || (contributor === 'human' && sessionId === undefined && approvedBy === undefined)
}

export function sameAuthor(one: Origin, other: Origin): boolean {
  return one === other || authorKey(one) === authorKey(other)
}

function authorKey({ contributor, intentId, model, tool, approvedBy, imported }: Origin): string {
  return JSON.stringify([contributor, intentId, model, tool, approvedBy, imported])
}

function around(line: number, printAt: (line: number) => string | undefined): Pick<Birth, 'above' | 'below'> {
  const [above, below]: [string[], string[]] = [[], []]
  for (let far = 1; far <= REACH; far++) {
    const [before, after] = [printAt(line - far), printAt(line + far)]
    if (before !== undefined) above.push(before)
    if (after !== undefined) below.push(after)
  }
  return { above, below }
}

/** The weight of the neighbors that are the same, counted from the line outward. */
function alike(one: readonly string[], other: readonly string[]): number {
  let weight = 0
  for (const [far, print] of one.entries()) {
    if (print !== other[far]) break
    weight += weightOf(print)
  }
  return weight
}
