// Long because: the rules of one replay share its state.
import type { TraceRecord } from '../core/api.js'
import { FOLLOWED_LINES } from './attribution.js'
import { Births } from './births.js'
import { type LineHunk, lineHunks, originsBy } from './line-hunks.js'
import { LinePlaces } from './line-places.js'
import { weightOf } from './line-prints.js'
import { adoptLines, type Cell, type Strand, WEIGHT_ACROSS, WEIGHT_WITHIN } from './origins.js'
import { StrandSearch } from './strand-search.js'
import { type Claim, type LineChange, OUTSIDE, type TracedFile, tracedIn, UNKNOWN } from './traced-files.js'
import { type FileCells, recordedCells, UNKNOWN_CELL, unchangedCells, Versions } from './versions.js'

/** How many commits keep their removed lines for an undo, and how many removed runs are kept for a line. */
const UNDO_DEPTH = 1000
const REMOVED_RUNS = 4
/** How many states of a file on other branches are kept. */
const BRANCHES = 4
/** The limits of lines whose content is unknown, and of all lines: a few bytes of a record can claim many. */
const MAX_UNKNOWN = 4_000_000
const MAX_LINES = 16_000_000

/**
 * The lines of every file in the ledger, followed from record to record by the line changes that each one has. It needs
 * no contents, only the ledger itself and the fingerprints of the lines that a caller asks about.
 *
 * A line keeps its author while it is unchanged, and when it is indented, moved or copied. An undo restores a line with
 * its author. In a file that the ledger knows, lines that appeared between two records were written by a person; in
 * other files their author is unknown.
 */
export class Replay {
  readonly #files = new Map<string, FileCells>()
  /** Earlier contents of each path, for records of a branch that diverged there. */
  readonly #earlier = new Versions()
  /** The contents of each path on other branches, until a record continues from git's merge of them. */
  readonly #onOtherBranches = new Map<string, readonly FileCells[]>()
  readonly #claims = new Map<string, Claim[]>()
  /** Commit → path → the lines it removed there, for its undo. */
  readonly #removed = new Map<string, Map<string, readonly Cell[]>>()
  /** The files that have or had each wanted line. Removed runs of lines are in {@link #removedRuns}. */
  readonly #places: LinePlaces
  readonly #removedRuns = new Map<string, (readonly Cell[])[]>()

  readonly #search: StrandSearch
  #unknownLeft = MAX_UNKNOWN
  /** The number of lines that may still be kept, in files and for an undo. */
  #linesLeft = MAX_LINES

  /** The places where records wrote the wanted lines. */
  readonly births: Births

  /** @param wanted the fingerprints of the lines that a caller will ask about; others are skipped */
  constructor(private readonly wanted: Pick<ReadonlySet<string>, 'has'>) {
    this.births = new Births(wanted)
    this.#search = new StrandSearch(wanted)
    this.#places = new LinePlaces((print) => this.#isEvidence(print))
  }

  /**
   * Applies the next record of the chain. Returns the lines that it added and removed.
   * @param isUnanchored whether no anchor on this machine vouches for the record
   */
  apply(record: TraceRecord, isUnanchored = false): LineEffect {
    const effect: PendingEffect = { added: [], lost: [], followed: new Set() }
    const { files, tx, undoes } = tracedIn(record, isUnanchored)
    const before = new Map<string, FileCells | undefined>()
    for (const { path, from = path } of files) {
      const known = this.#files.get(from)
      before.set(from, known)
      if (known !== undefined) this.#earlier.keep(from, known)
    }
    const removed = new Map<string, readonly Cell[]>()
    const next = files.map((file) => ({
      path: file.path,
      now: this.#apply(file, { known: before.get(file.from ?? file.path), removed, undoes, effect }),
    }))
    for (const { path, from } of files) this.#dropOldPath(path, from)
    for (const { path, now } of next) if (now !== undefined) this.#placeCells(path, now, before.get(path))
    for (const { path, claims } of files) this.#claim(path, claims)
    for (const cells of removed.values()) this.#rememberRemoved(cells)
    if (tx !== undefined) this.#keepForUndo(tx, removed)
    else this.#release(...removed.values())
    const { added, lost, followed } = effect
    return { added: added.filter((cell) => !followed.has(cell)), lost: lost.filter((cell) => !followed.has(cell)) }
  }

  /** The digest of the last content whose lines the ledger records. */
  digestOf(path: string): string | null | undefined {
    return this.#files.get(path)?.digest
  }

  /** Blocks of a file that records name only by hash, the newest last. */
  claimsOn(path: string): readonly Claim[] {
    return this.#claims.get(path) ?? []
  }

  /**
   * The authors of the lines of a path's current content, no matter who wrote it there.
   * @param outside the origin of lines that no commit wrote
   */
  linesAt(path: string, prints: readonly string[], contentDigest: string | null, outside = OUTSIDE): Cell[] {
    const known = this.#files.get(path) ?? this.#movedFrom(contentDigest)
    const same = known?.digest === contentDigest ? known : this.#earlierAt(path, contentDigest)
    const recorded = recordedCells(prints, same)
    if (recorded !== undefined) return recorded
    const unchanged = unchangedCells(prints, [...(known ? [known] : []), ...(this.#onOtherBranches.get(path) ?? [])])
    const unchangedAt = (line: number) => unchanged[line]
    const adopted = adoptLines(
      prints,
      (line) => unchangedAt(line) === undefined,
      (print) => this.#strands(print, path, known, true),
      this.#search,
    )
    return prints.map((print, line) => {
      const origin = () => this.births.authorAt(prints, line) ?? (known ? outside : UNKNOWN)
      return unchangedAt(line) ?? adopted.get(line) ?? { print, origin: origin() }
    })
  }

  /** The lines of a content that a record left at a path, or at another. */
  exactly(path: string, prints: readonly string[], contentDigest: string): readonly Cell[] | undefined {
    const known = this.#files.get(path)
    const same = known?.digest === contentDigest ? known : this.#earlierAt(path, contentDigest)
    return recordedCells(prints, same ?? this.#movedFrom(contentDigest) ?? this.#earlier.anywhere(contentDigest))
  }

  /** A file that was moved outside escrowfs: its content is that of another path. */
  #movedFrom(contentDigest: string | null): FileCells | undefined {
    if (contentDigest === null) return undefined
    for (const file of this.#files.values()) if (file.digest === contentDigest) return file
    return undefined
  }

  #earlierAt(path: string, contentDigest: string | null): FileCells | undefined {
    return contentDigest === null ? undefined : this.#earlier.find(path, contentDigest)
  }

  #apply(file: TracedFile, { known, removed, undoes, effect }: Step): FileCells | undefined {
    const { path, from = path, before, after, change } = file
    if (after === undefined) return this.#reserve(known)
    if (change === undefined) return before === after ? this.#reserve(known) : undefined
    const base = this.#base(file, change, known)
    if (file.isLanded === true && before != null) this.#keepOnDisk(from, { digest: before, cells: base })
    const lost = after === null ? base : linesIn(base, change.hunks)
    if (lost.length > this.#linesLeft) return undefined
    this.#linesLeft -= lost.length
    removed.set(from, lost)
    for (const cell of lost) effect.lost.push(cell)
    if (after === null) return undefined
    const written = new Map<number, Cell>()
    const cells = applyChange(base, change, (print, line) => {
      const cell = { print, origin: file.originOf(line) }
      written.set(line, cell)
      effect.added.push(cell)
      return cell
    })
    this.#followBack(cells, written, { path, from, known: { digest: null, cells: base }, undoes, removed, effect })
    this.births.note(cells, written.keys())
    // No record of escrowfs lists more lines.
    return cells.length > FOLLOWED_LINES ? undefined : this.#reserve({ digest: after, cells })
  }

  /** The lines that a change applies to. A record that does not list them continues from the one before it. */
  #base(
    { path, from = path, before, outside }: TracedFile,
    change: LineChange,
    known: FileCells | undefined,
  ): readonly Cell[] {
    if (change.base !== undefined) {
      const cells = this.linesAt(from, change.base, before ?? null, outside)
      // Lines that were removed outside escrowfs may be in another file by now.
      if (known !== undefined) this.#rememberRemoved(known.cells)
      this.#onOtherBranches.delete(path)
      return cells
    }
    if (known !== undefined && known.digest === before) return known.cells
    if (known !== undefined) this.#keepForMerge(path, known)
    if (before === null) return []
    const earlier = this.#earlierAt(from, before ?? null)
    if (earlier !== undefined) return earlier.cells
    // The previous record is missing, so only the number of these lines is known.
    const last = change.hunks.at(-1)
    const claimed = last === undefined ? 0 : last.at + last.removed
    const lines = claimed > Math.min(FOLLOWED_LINES, this.#unknownLeft) ? 0 : claimed
    this.#unknownLeft -= lines
    return new Array<Cell>(lines).fill(UNKNOWN_CELL)
  }

  /** Finds the new lines that existed before. */
  #followBack(cells: Cell[], written: ReadonlyMap<number, Cell>, file: AddedLines): void {
    const lines = [...written.keys()]
    if (lines.length === 0) return
    const prints = cells.map(printIn)
    const restored = file.undoes === undefined ? new Map<number, Cell>() : this.#restoredCells(lines, prints, file)
    const isOpen = (line: number) => written.has(line) && !restored.has(line)
    const justRemoved = [...file.removed.values()].map((cells) => ({ cells, least: WEIGHT_ACROSS }))
    const { wanted } = this
    const strands = (print: string) => this.#strands(print, file.from, file.known, false)
    function* strandsOf(print: string): Generator<Strand> {
      if (!wanted.has(print)) return
      yield* strands(print)
      yield* justRemoved
    }
    const isAnyWanted = lines.some((line) => wanted.has(prints[line] ?? ''))
    const adopted = isAnyWanted ? adoptLines(prints, isOpen, strandsOf, this.#search) : []
    for (const [line, cell] of [...restored, ...adopted]) {
      const replaced = written.get(line)
      if (replaced !== undefined) file.effect.followed.add(replaced)
      file.effect.followed.add(cell)
      cells[line] = cell
    }
  }

  /** Finds the lines that an undo restores among those that its commits removed, in the same order. */
  #restoredCells(
    lines: readonly number[],
    prints: readonly string[],
    { path, undoes = [] }: AddedLines,
  ): Map<number, Cell> {
    const restored = new Map<number, Cell>()
    for (const tx of undoes) {
      const removed = this.#removed.get(tx)?.get(path) ?? []
      const open = lines.filter((line) => !restored.has(line))
      const added = open.map((line) => prints[line] ?? '')
      const origins = originsBy(lineHunks(removed.map(printIn), added), removed.length)
      for (const [n, line] of open.entries()) {
        const cell = removed[origins[n] ?? -1]
        if (cell !== undefined) restored.set(line, cell)
      }
    }
    return restored
  }

  /** The strands with a wanted line: in its own file, in others, and with `includeRemoved` among removed lines. */
  *#strands(print: string, path: string, own: FileCells | undefined, includeRemoved: boolean): Generator<Strand> {
    if (!this.wanted.has(print)) return
    if (own !== undefined) yield { cells: own.cells, least: WEIGHT_WITHIN }
    yield* this.#places.elsewhere(print, path)
    for (const cells of includeRemoved ? (this.#removedRuns.get(print) ?? []) : [])
      yield { cells, least: WEIGHT_ACROSS }
  }

  /** @param before the file at that path, whose lines have their places */
  #placeCells(path: string, now: FileCells, before: FileCells | undefined): void {
    this.#release(this.#files.get(path)?.cells ?? [])
    this.#files.set(path, now)
    this.#places.set(path, now.cells, before?.cells ?? [])
  }

  /** Keeps the content of a record on another branch, for the content that git merges from both. */
  #keepForMerge(path: string, known: FileCells): void {
    this.#onOtherBranches.set(path, [known, ...(this.#onOtherBranches.get(path) ?? [])].slice(0, BRANCHES))
    this.#rememberRemoved(known.cells)
  }

  /**
   * Keeps the content that is still on disk after a later one has landed on a branch, so that its lines are not
   * attributed to the next editor of the file.
   */
  #keepOnDisk(path: string, base: FileCells): void {
    this.#earlier.keep(path, base)
    this.#onOtherBranches.set(path, [base, ...(this.#onOtherBranches.get(path) ?? [])].slice(0, BRANCHES))
  }

  #claim(path: string, claims: readonly Claim[]): void {
    if (claims.length === 0) return
    const known = this.#claims.get(path) ?? []
    for (const claim of claims) known.push(claim)
    this.#claims.set(path, known)
  }

  #dropOldPath(path: string, from: string | undefined): void {
    this.#dropFile(path)
    if (from === undefined || from === path) return
    this.#dropFile(from)
    const claims = this.#claims.get(from)
    this.#claims.delete(from)
    if (claims !== undefined) this.#claims.set(path, claims)
  }

  #rememberRemoved(cells: readonly Cell[]): void {
    for (const print of new Set(cells.map(printIn).filter((each) => this.#isEvidence(each)))) {
      this.#removedRuns.set(print, [cells, ...(this.#removedRuns.get(print) ?? [])].slice(0, REMOVED_RUNS))
    }
  }

  #keepForUndo(tx: string, removed: ReadonlyMap<string, readonly Cell[]>): void {
    this.#removed.set(tx, new Map([...(this.#removed.get(tx) ?? []), ...removed]))
    const [oldest] = this.#removed.keys()
    if (this.#removed.size <= UNDO_DEPTH || oldest === undefined) return
    this.#release(...(this.#removed.get(oldest)?.values() ?? []))
    this.#removed.delete(oldest)
  }

  #dropFile(path: string): void {
    this.#release(this.#files.get(path)?.cells ?? [])
    this.#files.delete(path)
    this.#places.drop(path)
  }

  /** Returns the file if there is room for its lines. */
  #reserve(file: FileCells | undefined): FileCells | undefined {
    if (file === undefined || file.cells.length > this.#linesLeft) return undefined
    this.#linesLeft -= file.cells.length
    return file
  }

  #release(...lines: readonly (readonly Cell[])[]): void {
    for (const { length } of lines) this.#linesLeft += length
  }

  #isEvidence(print: string): boolean {
    return this.wanted.has(print) && weightOf(print) > 0
  }
}

/** The lines that a record added, and those it removed and did not move elsewhere. */
export interface LineEffect {
  readonly added: readonly Cell[]
  readonly lost: readonly Cell[]
}

/** The effect of one record on lines, while it is computed. */
interface PendingEffect {
  readonly added: Cell[]
  readonly lost: Cell[]
  /** Lines that existed before, and those that replaced them. */
  readonly followed: Set<Cell>
}

interface Step {
  /** The file before the record. */
  readonly known: FileCells | undefined
  readonly removed: Map<string, readonly Cell[]>
  readonly undoes: readonly string[] | undefined
  readonly effect: PendingEffect
}

interface AddedLines {
  readonly path: string
  /** The file's old path. */
  readonly from: string
  readonly known: FileCells
  readonly undoes: readonly string[] | undefined
  readonly effect: PendingEffect
  /** The lines that the same commit removed in other files. */
  readonly removed: ReadonlyMap<string, readonly Cell[]>
}

function printIn({ print }: Cell): string {
  return print
}

function linesIn(base: readonly Cell[], hunks: readonly LineHunk[]): Cell[] {
  return hunks.flatMap(({ at, removed }) => base.slice(at, at + removed))
}

function applyChange(base: readonly Cell[], change: LineChange, write: (print: string, line: number) => Cell): Cell[] {
  const cells: Cell[] = []
  let [at, written] = [0, 0]
  const copyUntil = (end: number) => {
    for (; at < Math.min(end, base.length); at++) cells.push(base[at] ?? UNKNOWN_CELL)
  }
  for (const hunk of change.hunks) {
    copyUntil(hunk.at)
    for (const until = written + hunk.added; written < until; written++) {
      cells.push(write(change.added[written] ?? '', cells.length))
    }
    at = hunk.at + hunk.removed
  }
  copyUntil(base.length)
  return cells
}
