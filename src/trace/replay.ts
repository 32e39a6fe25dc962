// Long because: the rules of one replay share its state.
import type { TraceRecord } from '../core/api.js'
import { type LineHunk, lineHunks, originsBy } from './line-hunks.js'
import { weightOf } from './line-prints.js'
import { adoptLines, type Cell, type Strand, WEIGHT_ACROSS, WEIGHT_WITHIN } from './origins.js'
import { type Claim, type LineChange, OUTSIDE, type TracedFile, tracedIn, UNKNOWN } from './traced-files.js'
import { type FileNow, unchangedCells, Versions } from './versions.js'

/** Commits whose removed lines are at hand for an undo, and dead strands kept for a line. */
const UNDO_DEPTH = 1000
const DEAD = 4
/** States of a file on other branches. */
const BRANCHES = 4
/** A line of which no more is known than that it is there; and how many of them a record can make us believe in. */
const UNREAD: Cell = { print: '', origin: UNKNOWN }
const MOST_LINES = 4_000_000

/**
 * The lines of every file the ledger knows, followed from record to record by what each says of them. It needs no
 * content: only the ledger itself, and the prints of the lines that are asked about.
 *
 * A line keeps who wrote it while it stands, is indented anew, is moved, or is copied. What an undo restores is whose it
 * was. In a file the ledger knows, lines that came between two records are a person's; in others nobody's that is known.
 */
export class Replay {
  readonly #files = new Map<string, FileNow>()
  /** What stood at a path before, for records of a branch that left the chain there. */
  readonly #earlier = new Versions()
  /** What stands at a path on other branches, until a record continues from what git made of them. */
  readonly #beside = new Map<string, readonly FileNow[]>()
  readonly #claims = new Map<string, Claim[]>()
  /** Commit → path → lines it removed there, for its undo. */
  readonly #removed = new Map<string, Map<string, readonly Cell[]>>()
  /** Where wanted lines stand, or stood at some time; and runs of them that are gone. */
  readonly #places = new Map<string, Set<string>>()
  readonly #dead = new Map<string, (readonly Cell[])[]>()

  /** @param wanted the prints of the lines that will be asked about: no other can be one of them, by whatever way. */
  constructor(private readonly wanted: Pick<ReadonlySet<string>, 'has'>) {}

  /**
   * Takes one record in; the chain's order is the order of calls. Answers which lines it brought, and which it took.
   * @param isUnanchored whether nothing on this machine anchors the record.
   */
  take(record: TraceRecord, isUnanchored = false): Taken {
    const turn: Turn = { added: [], gone: [], followed: new Set() }
    const { files, tx, undoes } = tracedIn(record, isUnanchored)
    const before = new Map<string, FileNow | undefined>()
    for (const { path, from = path } of files) {
      const known = this.#files.get(from)
      before.set(from, known)
      if (known !== undefined) this.#earlier.keep(from, known)
    }
    const removed = new Map<string, readonly Cell[]>()
    const next = files.map((file) => ({
      path: file.path,
      now: this.#after(file, { known: before.get(file.from ?? file.path), removed, undoes, turn }),
    }))
    for (const { path, from } of files) this.#leave(path, from)
    for (const { path, now } of next) if (now !== undefined) this.#placeCells(path, now)
    for (const { path, claims } of files) this.#claim(path, claims)
    for (const cells of removed.values()) this.#bury(cells)
    if (tx !== undefined) this.#keepForUndo(tx, removed)
    const { added, gone, followed } = turn
    return { added: added.filter((cell) => !followed.has(cell)), lost: gone.filter((cell) => !followed.has(cell)) }
  }

  /** The last content the ledger has the lines of. */
  digestOf(path: string): string | null | undefined {
    return this.#files.get(path)?.digest
  }

  /** Blocks of a file that records name by hash alone, the newest last. */
  claimsOn(path: string): readonly Claim[] {
    return this.#claims.get(path) ?? []
  }

  /**
   * Who wrote the lines of a content that stands at a path, whoever put it there.
   * @param outside who is to be named for a line that came in no commit
   */
  linesAt(path: string, prints: readonly string[], contentDigest: string | null, outside = OUTSIDE): Cell[] {
    const known = this.#files.get(path) ?? this.#movedFrom(contentDigest)
    const same = known?.digest === contentDigest ? known : this.#earlierAt(path, contentDigest)
    if (same?.cells.length === prints.length) return [...same.cells]
    const standing = unchangedCells(prints, [...(known ? [known] : []), ...(this.#beside.get(path) ?? [])])
    const stays = (line: number) => standing[line]
    const adopted = adoptLines(
      prints,
      (line) => stays(line) === undefined,
      (print) => this.#strands(print, path, known, true),
    )
    return prints.map((print, line) => {
      return stays(line) ?? adopted.get(line) ?? { print, origin: known ? outside : UNKNOWN }
    })
  }

  /** A file that somebody moved without us: its content is that of another. */
  #movedFrom(contentDigest: string | null): FileNow | undefined {
    if (contentDigest === null) return undefined
    return [...this.#files.values()].find(({ digest }) => digest === contentDigest)
  }

  #earlierAt(path: string, contentDigest: string | null): FileNow | undefined {
    return contentDigest === null ? undefined : this.#earlier.find(path, contentDigest)
  }

  #after(file: TracedFile, { known, removed, undoes, turn }: Step): FileNow | undefined {
    const { path, from = path, before, after, change } = file
    if (after === undefined) return known
    if (change === undefined) return before === after ? known : undefined
    const base = this.#base(file, change, known)
    const gone = after === null ? base : linesIn(base, change.hunks)
    removed.set(from, gone)
    for (const cell of gone) turn.gone.push(cell)
    if (after === null) return undefined
    const written = new Map<number, Cell>()
    const cells = applyChange(base, change, (print, line) => {
      const cell = { print, origin: file.originOf(line) }
      written.set(line, cell)
      turn.added.push(cell)
      return cell
    })
    this.#followBack(cells, written, { path, from, known: { digest: null, cells: base }, undoes, removed, turn })
    return { digest: after, cells }
  }

  /** The lines a change was made to. A record that does not list them continues from the one before it. */
  #base({ path, from = path, before, outside }: TracedFile, change: LineChange, known: FileNow | undefined): Cell[] {
    if (change.base !== undefined) {
      const cells = this.linesAt(from, change.base, before ?? null, outside)
      // What somebody took away past us may stand elsewhere by now.
      if (known !== undefined) this.#bury(known.cells)
      this.#beside.delete(path)
      return cells
    }
    if (known !== undefined && known.digest === before) return [...known.cells]
    if (known !== undefined) this.#setAside(path, known)
    if (before === null) return []
    const earlier = this.#earlierAt(from, before ?? null)
    if (earlier !== undefined) return [...earlier.cells]
    // The record it continues is missing: of these lines no more is known than that they are there.
    const last = change.hunks.at(-1)
    return new Array<Cell>(last === undefined ? 0 : Math.min(last.at + last.gone, MOST_LINES)).fill(UNREAD)
  }

  /** Finds among the lines that came those that were there before. */
  #followBack(cells: Cell[], written: ReadonlyMap<number, Cell>, came: Arrived): void {
    const lines = [...written.keys()]
    if (lines.length === 0) return
    const prints = cells.map(printIn)
    const restored = came.undoes === undefined ? new Map<number, Cell>() : this.#restoredCells(lines, prints, came)
    const isOpen = (line: number) => written.has(line) && !restored.has(line)
    const justGone = [...came.removed.values()].map((gone) => ({ cells: gone, least: WEIGHT_ACROSS }))
    const adopted = adoptLines(prints, isOpen, (print) =>
      this.wanted.has(print) ? [...this.#strands(print, came.from, came.known, false), ...justGone] : [],
    )
    for (const [line, cell] of [...restored, ...adopted]) {
      const instead = written.get(line)
      if (instead !== undefined) came.turn.followed.add(instead)
      came.turn.followed.add(cell)
      cells[line] = cell
    }
  }

  /** What an undo puts back stands among what each of its commits took away, in the same order. */
  #restoredCells(
    lines: readonly number[],
    prints: readonly string[],
    { path, undoes = [] }: Arrived,
  ): Map<number, Cell> {
    const restored = new Map<number, Cell>()
    for (const tx of undoes) {
      const gone = this.#removed.get(tx)?.get(path) ?? []
      const open = lines.filter((line) => !restored.has(line))
      const came = open.map((line) => prints[line] ?? '')
      const origins = originsBy(lineHunks(gone.map(printIn), came), gone.length)
      for (const [n, line] of open.entries()) {
        const cell = gone[origins[n] ?? -1]
        if (cell !== undefined) restored.set(line, cell)
      }
    }
    return restored
  }

  /** Where a wanted line stands: in its own file, in others, and with `dead` where it stood. */
  *#strands(print: string, path: string, own: FileNow | undefined, dead: boolean): Generator<Strand> {
    if (!this.wanted.has(print)) return
    if (own !== undefined) yield { cells: own.cells, least: WEIGHT_WITHIN }
    for (const other of this.#places.get(print) ?? []) {
      const cells = this.#files.get(other)?.cells
      if (cells !== undefined && other !== path) yield { cells, least: WEIGHT_ACROSS }
    }
    for (const cells of dead ? (this.#dead.get(print) ?? []) : []) yield { cells, least: WEIGHT_ACROSS }
  }

  #placeCells(path: string, now: FileNow): void {
    this.#files.set(path, now)
    for (const { print } of now.cells) {
      if (!this.#isEvidence(print)) continue
      const places = this.#places.get(print)
      if (places === undefined) this.#places.set(print, new Set([path]))
      else places.add(path)
    }
  }

  /** The record is of another branch than what stands: git will put the two together. */
  #setAside(path: string, known: FileNow): void {
    this.#beside.set(path, [known, ...(this.#beside.get(path) ?? [])].slice(0, BRANCHES))
    this.#bury(known.cells)
  }

  #claim(path: string, claims: readonly Claim[]): void {
    if (claims.length === 0) return
    const known = this.#claims.get(path) ?? []
    for (const claim of claims) known.push(claim)
    this.#claims.set(path, known)
  }

  #leave(path: string, from: string | undefined): void {
    this.#files.delete(path)
    if (from === undefined || from === path) return
    this.#files.delete(from)
    const claims = this.#claims.get(from)
    this.#claims.delete(from)
    if (claims !== undefined) this.#claims.set(path, claims)
  }

  #bury(cells: readonly Cell[]): void {
    for (const print of new Set(cells.map(printIn).filter((each) => this.#isEvidence(each)))) {
      this.#dead.set(print, [cells, ...(this.#dead.get(print) ?? [])].slice(0, DEAD))
    }
  }

  #keepForUndo(tx: string, removed: ReadonlyMap<string, readonly Cell[]>): void {
    this.#removed.set(tx, new Map([...(this.#removed.get(tx) ?? []), ...removed]))
    const [oldest] = this.#removed.keys()
    if (this.#removed.size > UNDO_DEPTH && oldest !== undefined) this.#removed.delete(oldest)
  }

  #isEvidence(print: string): boolean {
    return this.wanted.has(print) && weightOf(print) > 0
  }
}

/** Lines a record wrote, and lines it took that stand nowhere else by it. */
export interface Taken {
  readonly added: readonly Cell[]
  readonly lost: readonly Cell[]
}

/** What one record does to lines, as it is found out. */
interface Turn {
  readonly added: Cell[]
  readonly gone: Cell[]
  /** Lines that were there before, and what was written in their place. */
  readonly followed: Set<Cell>
}

interface Step {
  /** The file before the record. */
  readonly known: FileNow | undefined
  readonly removed: Map<string, readonly Cell[]>
  readonly undoes: readonly string[] | undefined
  readonly turn: Turn
}

interface Arrived {
  readonly path: string
  /** Where the file was before. */
  readonly from: string
  readonly known: FileNow
  readonly undoes: readonly string[] | undefined
  readonly turn: Turn
  /** What the same commit took away elsewhere. */
  readonly removed: ReadonlyMap<string, readonly Cell[]>
}

function printIn({ print }: Cell): string {
  return print
}

function linesIn(base: readonly Cell[], hunks: readonly LineHunk[]): Cell[] {
  return hunks.flatMap(({ at, gone }) => base.slice(at, at + gone))
}

function applyChange(base: readonly Cell[], change: LineChange, write: (print: string, line: number) => Cell): Cell[] {
  const cells: Cell[] = []
  let [at, taken] = [0, 0]
  const keep = (until: number) => {
    for (; at < Math.min(until, base.length); at++) cells.push(base[at] ?? UNREAD)
  }
  for (const hunk of change.hunks) {
    keep(hunk.at)
    for (const until = taken + hunk.come; taken < until; taken++) {
      cells.push(write(change.added[taken] ?? '', cells.length))
    }
    at = hunk.at + hunk.gone
  }
  keep(base.length)
  return cells
}
