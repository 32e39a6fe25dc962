import { lineHunks, originsBy } from './line-hunks.js'
import type { Cell } from './origins.js'

/** A file as a record left it. */
export interface FileNow {
  readonly digest: string | null
  readonly cells: readonly Cell[]
}

/** Lines of all that is kept; what came first is let go first. */
const MOST_CELLS = 4_000_000

/** Earlier states of files by their content: a branch of the ledger goes on from one of them. */
export class Versions {
  readonly #kept = new Map<string, FileNow>()
  #cells = 0

  keep(path: string, version: FileNow): void {
    if (version.digest === null) return
    const key = `${version.digest} ${path}`
    if (this.#kept.has(key)) return
    this.#kept.set(key, version)
    this.#cells += version.cells.length + 1
    for (const [old, { cells }] of this.#kept) {
      if (this.#cells <= MOST_CELLS) return
      this.#kept.delete(old)
      this.#cells -= cells.length + 1
    }
  }

  find(path: string, digest: string): FileNow | undefined {
    return this.#kept.get(`${digest} ${path}`)
  }
}

/** The lines of a content that stand in versions of its file, the first one first. */
export function unchangedCells(prints: readonly string[], versions: readonly FileNow[]): (Cell | undefined)[] {
  const standing = new Array<Cell | undefined>(prints.length).fill(undefined)
  for (const { cells } of versions) {
    const origins = originsBy(
      lineHunks(
        cells.map(({ print }) => print),
        prints,
      ),
      cells.length,
    )
    for (const line of prints.keys()) standing[line] ??= cells[origins[line] ?? -1]
  }
  return standing
}
