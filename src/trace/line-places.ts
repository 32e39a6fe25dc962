import { type Cell, type Strand, WEIGHT_ACROSS } from './origins.js'

/** A path that has or had a file. */
interface Place {
  /** The lines of its file; undefined if it has none. */
  strand: Strand | undefined
}

/** The files that have or had each line, by its fingerprint. */
export class LinePlaces {
  readonly #byPath = new Map<string, Place>()
  /** Most lines have one place. */
  readonly #byPrint = new Map<string, Place | Set<Place>>()

  /** @param isEvidence whether the places of a line are asked for */
  constructor(private readonly isEvidence: (print: string) => boolean) {}

  /**
   * Sets the lines of a path.
   * @param before lines that it had before, which are skipped if they are the same cells
   */
  set(path: string, cells: readonly Cell[], before: readonly Cell[]): void {
    const place: Place = this.#byPath.get(path) ?? { strand: undefined }
    place.strand = { cells, least: WEIGHT_ACROSS }
    this.#byPath.set(path, place)
    for (const { print } of changedPart(cells, before)) {
      if (!this.isEvidence(print)) continue
      const places = this.#byPrint.get(print)
      if (places === undefined) this.#byPrint.set(print, place)
      else if (places instanceof Set) places.add(place)
      else if (places !== place) this.#byPrint.set(print, new Set([places, place]))
    }
  }

  /** Removes the lines of a path. The path keeps its rank among the places of a line. */
  drop(path: string): void {
    const place = this.#byPath.get(path)
    if (place !== undefined) place.strand = undefined
  }

  /** The files of other paths that have or had a line, oldest first. */
  *elsewhere(print: string, path: string): Generator<Strand> {
    const here = this.#byPath.get(path)
    const places = this.#byPrint.get(print) ?? []
    for (const place of 'strand' in places ? [places] : places) {
      if (place.strand !== undefined && place !== here) yield place.strand
    }
  }
}

/** The lines from the first to the last that differ. */
function changedPart(now: readonly Cell[], before: readonly Cell[]): readonly Cell[] {
  const shorter = Math.min(now.length, before.length)
  let head = 0
  while (head < shorter && now[head] === before[head]) head++
  let tail = 0
  while (tail < shorter - head && now[now.length - 1 - tail] === before[before.length - 1 - tail]) tail++
  return now.slice(head, now.length - tail)
}
