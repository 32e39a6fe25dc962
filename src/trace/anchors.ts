import { basename, join } from 'node:path'
import { sha256hex } from '../../overlay/index.js'
import type { LedgerHead } from '../core/api.js'
import { defined } from '../core/defined.js'
import type { Layout } from '../core/layout.js'
import { stateDir } from '../host/state-dir.js'
import { appendAnchors, appendText, newestAnchorsHave, readAnchors, textOf } from './anchor-file.js'
import { type AnchorLine, isOn, type LedgerEntry, linesOf, parseJson } from './anchor-lines.js'
import type { Tip } from './chain.js'
import { text } from './fields.js'
import { isObject } from './lines.js'

/**
 * What this machine knows of a ledger: the hash of each record that it wrote, or that a person here accepted. It is kept in
 * the state directory under the ledger's id, so every branch, worktree, copy and clone on this machine is held against it.
 *
 * The chain shows each change of a ledger by itself. It does not show that the end was cut off, or that a part was
 * replaced by another whole chain: these anchors do.
 */
export interface Anchors {
  /** Reads what is known of a ledger now. */
  of(ledger: string): KnownLedger
  /** Whether a record was anchored lately. Reads little of a long file; false for an old record. */
  lately(ledger: string): (hash: string) => boolean
  /** Anchors records. */
  keep(ledger: string, entries: readonly LedgerEntry[]): void
  /** Anchors records, and forgets which ones this branch must have: a person says that the ledger is right as it is. */
  restart(ledger: string, entries: readonly LedgerEntry[]): void
  /** The ledger that was begun on the branch that is checked out; undefined where none was. */
  firstLine(): string | undefined
}

export interface KnownLedger {
  /** Whether a record of that hash was written or accepted here. */
  has(hash: string): boolean
  /** The number of a known record; undefined for a line of another tool. */
  numberOf(hash: string): number | undefined
  /** Whether some branch here has a record of that number. */
  hasNumber(seq: number): boolean
  /** The highest number of a record here. */
  readonly newest: { readonly seq: number; readonly at: string } | undefined
  /** The records that must be in the file on the branch that is checked out: number by hash. */
  readonly here: ReadonlyMap<string, number>
}

/** @param branch what is checked out now; undefined where there is no version control. */
export function anchorsOf(layout: Layout, branch: () => string | undefined = () => undefined): Anchors {
  const workspace = basename(layout.state)
  const begins = join(layout.state, 'ledgers.jsonl')
  let noted: string | undefined

  /** Notes which ledger a branch of this workspace has. The first one counts until a person says otherwise. */
  function begin(ledger: string, restarts: boolean): void {
    const now = branch()
    const key = `${now} ${ledger}`
    if (noted === key && !restarts) return
    const before = begunIn(begins, now)
    if (before === undefined || (restarts && before !== ledger)) {
      appendText(begins, `${JSON.stringify({ ledger, ...defined({ branch: now }) })}\n`)
    }
    noted = key
  }

  function write(ledger: string, entries: readonly LedgerEntry[], restarts: boolean): void {
    if (entries.length === 0) return
    const now = branch()
    const about = { ledger, at: new Date().toISOString(), workspace, ...defined({ branch: now }) }
    appendAnchors(fileOf(ledger), linesOf(about, entries, restarts))
    begin(ledger, restarts)
  }

  return {
    of: (ledger) => knownIn(readAnchors(fileOf(ledger)), ledger, workspace, branch()),
    lately: (ledger) => newestAnchorsHave(fileOf(ledger)),
    keep: (ledger, entries) => write(ledger, entries, false),
    restart: (ledger, entries) => write(ledger, entries, true),
    firstLine: () => begunIn(begins, branch()),
  }
}

/** The name says nothing that a ledger says of itself. */
function fileOf(ledger: string): string {
  return join(stateDir(), 'ledgers', `${sha256hex(ledger).slice(0, 32)}.jsonl`)
}

export function headOfTip({ own, ledger, seq }: Tip): LedgerHead | undefined {
  return own === null || ledger === null ? undefined : { ledger, seq, hash: own.hash, size: own.end }
}

function begunIn(file: string, branch: string | undefined): string | undefined {
  for (const line of textOf(file).split('\n').reverse()) {
    const value = parseJson(line)
    const ledger = isObject(value) ? text(value.ledger) : undefined
    const noted = isObject(value) ? text(value.branch) : undefined
    if (ledger !== undefined && isOn(noted === undefined ? {} : { branch: noted }, branch)) return ledger
  }
  return undefined
}

function knownIn(
  lines: readonly AnchorLine[],
  ledger: string,
  workspace: string,
  branch: string | undefined,
): KnownLedger {
  const numbers = new Map<string, number>()
  const taken = new Set<number>()
  const here = new Map<string, number>()
  let newest: KnownLedger['newest']
  for (const line of lines) {
    if (line.ledger !== ledger) continue
    const isBound = line.workspace !== undefined && !line.isPast
    const isHere = isBound && line.workspace === workspace && isOn(line, branch)
    if (isBound && line.seq >= (newest?.seq ?? 1)) newest = { seq: line.seq, at: line.at }
    for (const [place, hash] of line.hashes.entries()) {
      const seq = line.from === 0 ? 0 : line.from + place
      numbers.set(hash, seq)
      if (seq === 0) continue
      if (isBound) taken.add(seq)
      if (isHere) here.set(hash, seq)
    }
  }
  return {
    has: (hash) => numbers.has(hash),
    numberOf: (hash) => numbers.get(hash) || undefined,
    hasNumber: (seq) => taken.has(seq),
    newest,
    here,
  }
}
