import { lineHunks, originsBy } from './line-hunks.js'
import type { Cell } from './origins.js'
import { UNKNOWN } from './traced-files.js'

/** A line with unknown content and author. */
export const UNKNOWN_CELL: Cell = { print: '', origin: UNKNOWN }

/** A file after a record. */
export interface FileCells {
  readonly digest: string | null
  readonly cells: readonly Cell[]
}

/** The limit of lines in all versions. Beyond it the oldest versions are dropped. */
const MAX_CELLS = 4_000_000

/** Earlier versions of files, by their content. A branch of the ledger continues from one of them. */
export class Versions {
  readonly #kept = new Map<string, FileCells>()
  #cells = 0

  keep(path: string, version: FileCells): void {
    if (version.digest === null) return
    const key = `${version.digest} ${path}`
    if (this.#kept.has(key)) return
    this.#kept.set(key, version)
    this.#cells += version.cells.length + 1
    for (const [old, { cells }] of this.#kept) {
      if (this.#cells <= MAX_CELLS) return
      this.#kept.delete(old)
      this.#cells -= cells.length + 1
    }
  }

  /** A version with that content, of any file. */
  anywhere(digest: string): FileCells | undefined {
    for (const [key, version] of this.#kept) if (key.startsWith(`${digest} `)) return version
    return undefined
  }

  find(path: string, digest: string): FileCells | undefined {
    return this.#kept.get(`${digest} ${path}`)
  }
}

/**
 * The cells of a content that a record names by its digest. A record could name any content there, so a line that the
 * version does not have at its place is unknown. Undefined for another number of lines.
 */
export function recordedCells(prints: readonly string[], version: FileCells | undefined): Cell[] | undefined {
  if (version?.cells.length !== prints.length) return undefined
  return version.cells.map((cell, line) => (cell.print === prints[line] ? cell : UNKNOWN_CELL))
}

/** The cell of each line that is also in a version of its file. The first version counts. */
export function unchangedCells(prints: readonly string[], versions: readonly FileCells[]): (Cell | undefined)[] {
  const unchanged = new Array<Cell | undefined>(prints.length).fill(undefined)
  for (const { cells } of versions) {
    const origins = originsBy(
      lineHunks(
        cells.map(({ print }) => print),
        prints,
      ),
      cells.length,
    )
    for (const line of prints.keys()) unchanged[line] ??= cells[origins[line] ?? -1]
  }
  return unchanged
}
