import { basename, join } from 'node:path'
import { sha256hex } from '../../overlay/index.js'
import type { LedgerHead } from '../core/api.js'
import { defined } from '../core/defined.js'
import { isObject } from '../core/is-object.js'
import type { Layout } from '../core/layout.js'
import { stateDir } from '../os/state-dir.js'
import { appendAnchors, appendText, newestAnchorsHave, readAnchors, textOf } from './anchor-file.js'
import { type AnchorLine, isOn, type LedgerEntry, linesOf, parseJson } from './anchor-lines.js'
import type { Tip } from './chain.js'
import { text } from './fields.js'
import { NumberedHashes } from './numbered.js'

/**
 * The records that this machine knows: the hash of each one that it wrote, or that a person here accepted. The anchors
 * of a ledger are kept in the state directory under its id, so they check every branch, worktree, copy and clone on
 * this machine.
 *
 * The chain by itself shows each change inside a ledger. It cannot show that the end was cut off, or that a part was
 * replaced by another valid chain. Anchors show both.
 */
export interface Anchors {
  /** Reads the known records of a ledger. */
  of(ledger: string): KnownLedger
  /** Whether a record was anchored recently. Reads only the end of a long file. False for an old record. */
  recentAnchors(ledger: string): (hash: string) => boolean
  /** Stores the hashes of records, so that every later check of this ledger expects them. */
  keep(ledger: string, entries: readonly LedgerEntry[]): void
  /**
   * As {@link keep}, and no longer requires the earlier records on this branch: a person accepted the ledger as it is.
   */
  restart(ledger: string, entries: readonly LedgerEntry[]): void
  /** The ledger that was begun on the current branch; undefined if there is none. */
  firstLine(): string | undefined
}

export interface KnownLedger {
  /** Whether a record with that hash was written or accepted here. */
  has(hash: string): boolean
  /** Whether that record has that number. Cheaper than {@link has}, which indexes all records at its first call. */
  hasAt(seq: number, hash: string): boolean
  /** The number of a known record; undefined for a line of another tool. */
  numberOf(hash: string): number | undefined
  /** Whether any branch here has a record with that number. */
  hasNumber(seq: number): boolean
  /** The record with the highest number. */
  readonly newest: { readonly seq: number; readonly at: string } | undefined
  /** The records that the file must have on the current branch. */
  readonly here: NumberedHashes
}

/** @param branch the current branch; undefined if there is no version control */
export function openAnchors(layout: Layout, branch: () => string | undefined = () => undefined): Anchors {
  const workspace = basename(layout.state)
  const branchFile = join(layout.state, 'ledgers.jsonl')
  let lastKey: string | undefined

  /** Records which ledger belongs to a workspace's branch. The first record stays until a person resets it. */
  function recordBranch(ledger: string, restarts: boolean): void {
    const now = branch()
    const key = `${now} ${ledger}`
    if (lastKey === key && !restarts) return
    const before = ledgerOfBranch(branchFile, now)
    if (before === undefined || (restarts && before !== ledger)) {
      appendText(branchFile, `${JSON.stringify({ ledger, ...defined({ branch: now }) })}\n`)
    }
    lastKey = key
  }

  function write(ledger: string, entries: readonly LedgerEntry[], restarts: boolean): void {
    if (entries.length === 0) return
    const now = branch()
    const about = { ledger, at: new Date().toISOString(), workspace, ...defined({ branch: now }) }
    appendAnchors(fileOf(ledger), linesOf(about, entries, restarts))
    recordBranch(ledger, restarts)
  }

  return {
    of: (ledger) => knownIn(readAnchors(fileOf(ledger)), ledger, workspace, branch()),
    recentAnchors: (ledger) => newestAnchorsHave(fileOf(ledger)),
    keep: (ledger, entries) => write(ledger, entries, false),
    restart: (ledger, entries) => write(ledger, entries, true),
    firstLine: () => ledgerOfBranch(branchFile, branch()),
  }
}

/** The file's name is a digest: a ledger chooses its own id, which must not become part of a path. */
function fileOf(ledger: string): string {
  return join(stateDir(), 'ledgers', `${sha256hex(ledger).slice(0, 32)}.jsonl`)
}

export function headOfTip({ own, ledger, seq }: Tip): LedgerHead | undefined {
  return own === null || ledger === null ? undefined : { ledger, seq, hash: own.hash, size: own.end }
}

function ledgerOfBranch(file: string, branch: string | undefined): string | undefined {
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
  const all = new NumberedHashes()
  const numbersHere: true[] = []
  const here = new NumberedHashes()
  let newest: KnownLedger['newest']
  for (const line of lines) {
    if (line.ledger !== ledger) continue
    const isBound = line.workspace !== undefined && !line.isPast
    const isHere = isBound && line.workspace === workspace && isOn(line, branch)
    if (isBound && line.seq >= (newest?.seq ?? 1)) newest = { seq: line.seq, at: line.at }
    let seq = line.from
    for (const hash of line.hashes) {
      all.add(seq, hash)
      if (seq === 0) continue
      if (isBound) numbersHere[seq] = true
      if (isHere) here.add(seq, hash)
      seq++
    }
  }
  let index: ReadonlyMap<string, number> | undefined
  const numbers = () => {
    index ??= new Map(all)
    return index
  }
  return {
    has: (hash) => numbers().has(hash),
    hasAt: (seq, hash) => all.has(seq, hash),
    numberOf: (hash) => numbers().get(hash) || undefined,
    hasNumber: (seq) => numbersHere[seq] === true,
    newest,
    here,
  }
}
