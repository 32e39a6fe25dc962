import { closeSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sha256hex } from '../../overlay/digest.js'
import { codeOf } from '../../overlay/errno.js'
import type { LedgerHead } from '../core/api.js'
import type { Layout, SharedFile } from '../core/layout.js'
import { stateDir } from '../host/state-dir.js'
import { appendOnto, ensurePrivateDir, replaceDurable } from '../host/write.js'
import type { Tip } from './chain.js'
import { count, text } from './fields.js'
import { lineStands } from './ledger-file.js'
import { isObject, readLines } from './lines.js'
import { openIfThere } from './scan.js'
import type { Expected } from './witness.js'

/**
 * What a workspace's ledger was seen to hold, kept outside of it: the chain shows each change of itself but not that its
 * end was cut off, or that it was written anew from some record on. One line for each commit; the newest counts, of the
 * branch that is checked out: the ledger goes with it. They are not synced: a power cut can take the newest, and leave an
 * older one that is as true.
 */

/** The newest record at some moment, and where it stands in the file. */
export interface Anchor extends LedgerHead {
  /** Byte offset of the record's line. */
  readonly start: number
  /** ISO 8601. */
  readonly at: string
  /** What was checked out; absent where there was no version control. */
  readonly branch?: string
}

export interface Anchors {
  newest(): Anchor | undefined
  keep(anchor: Anchor): void
}

const COMPACT_BYTES = 256 * 1024
const MOST_BRANCHES = 100

export function anchorsOf(root: string, branch: () => string | undefined = () => undefined): Anchors {
  const file = join(stateDir(), 'anchors', `${sha256hex(root).slice(0, 32)}.jsonl`)
  return {
    newest: () => newestIn(file, branch()),
    keep(anchor) {
      const now = branch()
      const line = `${JSON.stringify({ root, ...anchor, ...(now !== undefined && { branch: now }) })}\n`
      ensurePrivateDir(dirname(file))
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
      if (size > COMPACT_BYTES) replaceDurable(file, compacted(file) + line, 0o600)
      else appendOnto(file, line, 0o600)
    },
  }
}

/** Where the last record of ours stands that a reading has come to. */
export function anchorAt({ own, ledger, seq }: Tip, at: string): Anchor | undefined {
  if (own === null || ledger === null) return undefined
  return { ledger, seq, hash: own.hash, start: own.start, size: own.end, at }
}

export function headOfTip({ own, ledger, seq }: Tip): LedgerHead | undefined {
  return own === null || ledger === null ? undefined : { ledger, seq, hash: own.hash, size: own.end }
}

/** What the newest anchor says must be there. */
export function anchored(anchors: Anchors): Expected[] {
  const anchor = anchors.newest()
  if (anchor === undefined) return []
  const { ledger, seq, hash, at } = anchor
  return [{ ledger, seq, hash, by: `the anchor of ${at}` }]
}

/**
 * Anchors where the ledger ends, if what was anchored before still stands: a ledger that was written anew must not be
 * vouched for by the next commit. Where the state directory cannot be written there is no anchor, and `verify` names none.
 */
export function anchorTip(layout: Layout, anchors: Anchors, tip: Tip): void {
  try {
    const [before, now] = [anchors.newest(), anchorAt(tip, new Date().toISOString())]
    if (now !== undefined && (before === undefined || stillStands(layout, before))) anchors.keep(now)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
  }
}

/** Where it was, or elsewhere: a merge by git puts lines before others. */
function stillStands({ ledgerFile }: Layout, { start, size, hash }: Anchor): boolean {
  return lineStands(ledgerFile, { start, end: size, hash }) || hasLine(ledgerFile, hash)
}

function hasLine(file: SharedFile, hash: string): boolean {
  const fd = openIfThere(file)
  if (fd === undefined) return false
  try {
    for (const { bytes } of readLines(fd)) if (sha256hex(bytes) === hash) return true
    return false
  } finally {
    closeSync(fd)
  }
}

function newestIn(file: string, branch: string | undefined): Anchor | undefined {
  return textOf(file)
    .split('\n')
    .reverse()
    .map(anchorIn)
    .find((anchor) => anchor !== undefined && isOn(anchor, branch))
}

/** What was anchored without version control holds on each branch. */
function isOn(anchor: Anchor, branch: string | undefined): boolean {
  return anchor.branch === undefined || branch === undefined || anchor.branch === branch
}

/** The newest line of each branch, of the latest hundred. */
function compacted(file: string): string {
  const newest = new Map<string | undefined, string>()
  for (const line of textOf(file).split('\n')) {
    const anchor = anchorIn(line)
    if (anchor === undefined) continue
    newest.delete(anchor.branch)
    newest.set(anchor.branch, `${line}\n`)
  }
  return [...newest.values()].slice(-MOST_BRANCHES).join('')
}

/** A line that was cut short by a crash is none. */
function anchorIn(line: string): Anchor | undefined {
  const value = parsed(line)
  if (!isObject(value)) return undefined
  const [ledger, hash, at] = [text(value.ledger), text(value.hash), text(value.at)]
  const [seq, start, size] = [count(value.seq), count(value.start), count(value.size)]
  if (ledger === undefined || hash === undefined || at === undefined) return undefined
  if (seq === undefined || start === undefined || size === undefined) return undefined
  const branch = text(value.branch)
  return { ledger, hash, at, seq, start, size, ...(branch !== undefined && { branch }) }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return ''
    throw error
  }
}
